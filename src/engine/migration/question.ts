/** Questions of a migration about stored rows: how many prevent it. */
import type { Collection, Field } from '../../collection/declaration.ts';
import type { Type } from '../../collection/types/type.ts';
import type { Value } from '../../collection/value.ts';
import type { StoredRow } from '../../plan/types.ts';
import type { CollectionPair, Comparison } from './changes.ts';

/** A field after the migration, and its current column. */
export interface TargetColumn {
  readonly field: Field;
  /** Undefined for a new field, which gets its default. */
  readonly column?: { readonly name: string; readonly type: Type };
}

/** Each is answered by a number of rows. */
export type Question =
  | { readonly kind: 'rows'; readonly table: string }
  /** A column to be dropped. */
  | { readonly kind: 'values'; readonly table: string; readonly column: string }
  | { readonly kind: 'nulls' | 'unreadable' | 'broken'; readonly table: string; readonly of: TargetColumn }
  | { readonly kind: 'repeated'; readonly table: string; readonly of: readonly TargetColumn[] }
  | { readonly kind: 'dangling'; readonly table: string; readonly of: TargetColumn; readonly to: Target };

/** The target of references: an existing key, or the initial rows of a new collection. */
export type Target =
  | { readonly table: string; readonly key: TargetColumn }
  | { readonly keys: readonly Value[]; readonly type: Type };

export type FirstRows = (collection: Collection) => readonly StoredRow[];

export function targetColumn({ origin }: CollectionPair, field: Field): TargetColumn {
  const column = origin(field);
  return column === undefined ? { field } : { field, column: { name: column.name, type: column.type } };
}

export function targetOf(to: string, { pairs, requirement }: Comparison, firstRows: FirstRows): Target {
  const collection = requirement.catalogue.collections.get(to)!;
  const key = collection.key[0]!;
  const pair = pairs.get(to);
  // An adopted table.
  if (pair === undefined) return { table: to, key: { field: key, column: { name: key.name, type: key.type } } };
  if (pair.before !== undefined) return { table: pair.before.name, key: targetColumn(pair, key) };
  const place = collection.fields.indexOf(key);
  return { keys: firstRows(collection).flatMap((row) => row[place] ?? []), type: key.type };
}

export function fieldsIn(question: Question): readonly Field[] {
  if (question.kind === 'rows' || question.kind === 'values') return [];
  if (question.kind === 'repeated') return question.of.map(({ field }) => field);
  const to = question.kind === 'dangling' && 'key' in question.to ? [question.to.key.field] : [];
  return [question.of.field, ...to];
}
