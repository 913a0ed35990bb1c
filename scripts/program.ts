/** The entry points of the program, for its builds. */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

const SOURCE = join(dirname(import.meta.dir), 'src');

/** Each thread file is a separate entry point, because threads are started by file name. */
export const THREADS = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('-thread.ts'))
  .map((name) => join(SOURCE, name));

export const MAIN = join(SOURCE, 'main.ts');
