/** The `on conflict` clause of an insert, in SQL for both engines. */
import type { Conflict } from '../../plan/types.ts';
import { identifier } from './statement.ts';

/** `met` is the condition for updating the existing row. */
export function conflictSql(conflict: Conflict, met?: string): string {
  if (conflict === 'refuse') return '';
  const target = ` on conflict (${conflict.on.map(({ name }) => identifier(name)).join(', ')}) do`;
  if (conflict.overwrite.length === 0) return `${target} nothing`;
  const set = conflict.overwrite.map(({ name }) => `${identifier(name)} = excluded.${identifier(name)}`);
  return `${target} update set ${set.join(', ')}${met === undefined ? '' : ` where ${met}`}`;
}
