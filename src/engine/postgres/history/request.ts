/** The request behind a write, for the trigger of the change log. It holds until the transaction ends. */
import type { Origin } from '../../../plan/types.ts';
import type { Bind } from '../../sql/statement.ts';
import { TEXT } from '../dialect.ts';
import { query, type Runner } from '../driver.ts';
import { REQUEST_SETTING, SILENT } from './triggers.ts';

/** A column of the writing statement: row triggers run after it is computed. */
export function originColumn(origin: Origin, bind: Bind): string {
  return `set_config('${REQUEST_SETTING}', ${bind(JSON.stringify(origin), TEXT)}, true)`;
}

export async function setOrigin(runner: Runner, origin: Origin | 'silent'): Promise<void> {
  const text = origin === 'silent' ? SILENT : JSON.stringify(origin);
  await query(runner, { sql: `select set_config('${REQUEST_SETTING}', $1::text, true)`, params: [text] });
}
