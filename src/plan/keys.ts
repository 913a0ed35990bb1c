/** The key of a row: its values in the order of the key fields. */

import { ROWS_PER_SLICE, type Task } from '../base/cooperative.ts';
import { FAIL } from '../base/error-list.ts';
import { ApiError } from '../base/errors.ts';
import type { Collection, Field } from '../collection/declaration.ts';
import type { Value } from '../collection/value.ts';
import { fieldExpression } from './resolve.ts';
import type { Predicate } from './types.ts';
import type { StoredRow } from './write-plan.ts';

export type Key = readonly Value[];

export function keyIs({ key }: Collection, values: Key): Predicate {
  const terms = key.map((field, index): Predicate => {
    return { kind: 'compare', of: fieldExpression(field), operator: '=', value: values[index]! };
  });
  return terms.length === 1 ? terms[0]! : { kind: 'all', terms };
}

/** The values of some fields of a row; undefined if one of them is assigned later. */
export function valuesOf({ fields }: Collection, some: readonly Field[], row: StoredRow): Key | undefined {
  const values = some.map((field) => row[fields.indexOf(field)]);
  return values.includes(undefined) ? undefined : (values as Key);
}

export function isSameKey(one: Key, other: Key): boolean {
  return one.every((value, index) => value === other[index]);
}

/** The names of several fields, as `on_conflict` lists them. */
export function fieldNames(fields: readonly Pick<Field, 'name'>[]): string {
  return fields.map(({ name }) => name).join(',');
}

/** `id 5`, or `product_id 5, currency EUR`. */
export function describeKey(fields: readonly Field[], values: Key): string {
  return fields.map((field, index) => `${field.name} ${values[index]}`).join(', ');
}

/** Rejects a write that addresses a row twice, since the intended result is ambiguous. Null equals nothing. */
export function* rejectRepeatedKeys(
  fields: readonly Field[],
  keys: readonly (Key | undefined)[],
  report = FAIL,
): Task<void> {
  const positions = new Map<string, number>();
  for (const [index, key] of keys.entries()) {
    if (index > 0 && index % ROWS_PER_SLICE === 0) yield;
    if (key === undefined || key.includes(null)) continue;
    const name = JSON.stringify(key.map(String));
    const earlier = positions.get(name);
    if (earlier !== undefined) {
      const details = `rows ${earlier + 1} and ${index + 1} both have ${describeKey(fields, key)}`;
      const location = { index, field: fieldNames(fields) };
      report(new ApiError('21000', 'a write cannot affect a row a second time', { details, ...location }));
    } else positions.set(name, index);
  }
}

export function notSingular(rows: number): ApiError {
  return new ApiError('PGRST116', 'Cannot coerce the result to a single JSON object', {
    details: `The result contains ${rows} rows`,
  });
}
