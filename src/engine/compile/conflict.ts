/** What an insert does where a row's key exists, in SQL that both engines speak. */
import type { Collection } from '../../collection/declaration.ts';
import type { InsertPlan } from '../../plan/types.ts';
import { identifier } from './statement.ts';

export function conflictSql(collection: Collection, conflict: InsertPlan['conflict']): string {
  if (conflict === 'refuse') return '';
  const target = ` on conflict (${identifier(collection.key.name)}) do`;
  if (conflict === 'keep' || conflict.overwrite.length === 0) return `${target} nothing`;
  const set = conflict.overwrite.map(({ name }) => `${identifier(name)} = excluded.${identifier(name)}`);
  return `${target} update set ${set.join(', ')}`;
}
