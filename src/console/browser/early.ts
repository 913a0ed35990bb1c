/** The first script of the console, and the smallest: it asks for what the first view shows while the rest is still being loaded. */
import './overview/asked.ts';
import './shared/early.ts';
