/** The request bodies of an import: a new row, or the key of a stored row with its changes. */
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

/** Lists every field that any row names, so that rows can name different fields. */
export function columnsOf(rows: readonly Body[]): string {
  return fields
    .map(({ name }) => name)
    .filter((name) => rows.some((row) => Object.hasOwn(row, name)))
    .join(',');
}
