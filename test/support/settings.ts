/** Settings as a command reads them. */
import { readCommand } from '../../src/settings/by-command.ts';
import type { Environment } from '../../src/settings/resolve.ts';
import type { Table, Values } from '../../src/settings/setting.ts';

export function readSettings<T extends Table>(table: T, flags: readonly string[], env: Environment): Values<T> {
  return readCommand(table, flags, env, 0).values;
}
