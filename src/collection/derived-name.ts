/**
 * Names of constraints and indexes: the collection, its fields and what it is. Constraints are called as PostgreSQL itself would
 * call them; where that is longer than a name may be, the longer part is cut, as in PostgreSQL.
 */
import { MAX_NAME_LENGTH } from '../limits.ts';

const SUFFIXES = { pkey: '_pkey', key: '_key', fkey: '_fkey', check: '_check', index: '' } as const;
export type DerivedKind = keyof typeof SUFFIXES;

/** No fields for a primary key. */
export function derivedName(collection: string, fields: readonly string[], kind: DerivedKind): string {
  const suffix = SUFFIXES[kind];
  let [first, second] = [collection, fields.join('_')];
  const divider = second === '' ? '' : '_';
  const room = MAX_NAME_LENGTH - suffix.length - divider.length;
  while (first.length + second.length > room) {
    if (first.length > second.length) first = first.slice(0, -1);
    else second = second.slice(0, -1);
  }
  return `${first}${divider}${second}${suffix}`;
}
