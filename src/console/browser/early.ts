/** The first script of the page: it requests the rows while the other scripts load. */
import './api/session/early.ts';
