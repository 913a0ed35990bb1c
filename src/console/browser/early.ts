/**
 * The first and smallest script of the console. It requests the data of the first view while the other scripts load.
 */
import './overview/asked.ts';
import './shared/api/early.ts';
