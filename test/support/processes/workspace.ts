/** A folder in which commands run on a new database. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, temporaryFolder } from './process.ts';
import { storedRows } from './stored-rows.ts';

/** Creates helpers that run the commands on a new database. */
export function workspace(env: Readonly<Record<string, string>> = {}) {
  const cwd = temporaryFolder();
  const path = (name: string) => join(cwd, name);
  return {
    cwd,
    write: (name: string, text: string) => writeFileSync(path(name), text),
    read: (name: string) => readFileSync(path(name), 'utf8'),
    exists: (name: string) => existsSync(path(name)),
    command: (...args: string[]) => run({ cwd, env, args }),
    pipe: (stdin: string, ...args: string[]) => run({ cwd, env, args, stdin }),
    /** Checks that no database exists and no part of one remains. */
    isGone: async () => {
      const error = await storedRows({ cwd, env }).then(() => '', String);
      const left = readdirSync(cwd).filter((name) => name.includes('.db'));
      return /(database|table) .* does not exist/.test(error) && left.length === 0;
    },
    rows: (query?: string) => storedRows({ cwd, env }, query),
  };
}
