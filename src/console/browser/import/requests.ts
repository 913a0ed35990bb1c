/** What is sent for a row: all of a new one, of another its key and what changes. */
import { fields, key } from '../shared/collection.ts';
import type { Fate } from './fate.ts';

export type Body = Readonly<Record<string, unknown>>;

export function bodyOf(fate: Extract<Fate, { kind: 'new' | 'change' | 'exists' }>): Body {
  if (fate.kind === 'new') return fate.row;
  return Object.fromEntries([
    [key.name, fate.id.json],
    ...fate.changes.map(({ field, after }) => [field.name, after.json]),
  ]);
}

/** The fields that any of the rows names, so that each may name its own. */
export function columnsOf(rows: readonly Body[]): string {
  return fields
    .map(({ name }) => name)
    .filter((name) => rows.some((row) => Object.hasOwn(row, name)))
    .join(',');
}
