/** What a migration asks the rows that are stored: how many of them would be in its way. */
import type { Collection, Field } from '../../collection/declaration.ts';
import type { Type } from '../../collection/types/type.ts';
import type { Value } from '../../collection/value.ts';
import type { StoredRow } from '../../plan/types.ts';
import type { Comparison, Pair } from './changes.ts';

/** A field as it will be, by what the table has for it now. */
export interface Coming {
  readonly field: Field;
  /** Undefined where it is new: then it will hold its default. */
  readonly column?: { readonly name: string; readonly type: Type };
}

/** Each is answered by a number of rows of a table, as it is found. */
export type Question =
  | { readonly kind: 'rows'; readonly table: string }
  /** A column that is about to go. */
  | { readonly kind: 'values'; readonly table: string; readonly column: string }
  | { readonly kind: 'nulls' | 'unreadable' | 'broken'; readonly table: string; readonly of: Coming }
  | { readonly kind: 'repeated'; readonly table: string; readonly of: readonly Coming[] }
  | { readonly kind: 'dangling'; readonly table: string; readonly of: Coming; readonly to: Target };

/** Where references lead: to a key that is there, or to the rows that a new collection begins with. */
export type Target =
  | { readonly table: string; readonly key: Coming }
  | { readonly keys: readonly Value[]; readonly type: Type };

/** What a new collection begins with. */
export type FirstRows = (collection: Collection) => readonly StoredRow[];

export function coming({ origin }: Pair, field: Field): Coming {
  const column = origin(field);
  return column === undefined ? { field } : { field, column: { name: column.name, type: column.type } };
}

export function targetOf(to: string, { pairs, demand }: Comparison, firstRows: FirstRows): Target {
  const collection = demand.catalogue.collections.get(to)!;
  const key = collection.key[0]!;
  const pair = pairs.get(to);
  // A table that something else made.
  if (pair === undefined) return { table: to, key: { field: key, column: { name: key.name, type: key.type } } };
  if (pair.before !== undefined) return { table: pair.before.name, key: coming(pair, key) };
  const place = collection.fields.indexOf(key);
  return { keys: firstRows(collection).flatMap((row) => row[place] ?? []), type: key.type };
}

/** The fields whose values it asks about. */
export function fieldsIn(question: Question): readonly Field[] {
  if (question.kind === 'rows' || question.kind === 'values') return [];
  if (question.kind === 'repeated') return question.of.map(({ field }) => field);
  const to = question.kind === 'dangling' && 'key' in question.to ? [question.to.key.field] : [];
  return [question.of.field, ...to];
}
