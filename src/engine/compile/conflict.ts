/** What an insert does where a row meets an existing one, in SQL that both engines speak. */
import type { Conflict } from '../../plan/types.ts';
import { identifier } from './statement.ts';

/** `met` is what the row that is met must pass to be changed. */
export function conflictSql(conflict: Conflict, met?: string): string {
  if (conflict === 'refuse') return '';
  const target = ` on conflict (${conflict.on.map(({ name }) => identifier(name)).join(', ')}) do`;
  if (conflict.overwrite.length === 0) return `${target} nothing`;
  const set = conflict.overwrite.map(({ name }) => `${identifier(name)} = excluded.${identifier(name)}`);
  return `${target} update set ${set.join(', ')}${met === undefined ? '' : ` where ${met}`}`;
}
