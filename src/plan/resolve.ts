/** Resolves names to fields; an unknown name is rejected with the nearest one as a hint. Finds rows by their key. */

import { ROWS_PER_SLICE, type Task } from '../base/cooperative.ts';
import { FAIL } from '../base/error-list.ts';
import { ApiError } from '../base/errors.ts';
import { memoize } from '../base/memo.ts';
import { nearestName, suggestName } from '../base/nearest-name.ts';
import { type Sentence, say, type Wording } from '../base/sentence.ts';
import { fieldDenied } from '../collection/access/permission-errors.ts';
import { type Collection, type Field, fieldNamed } from '../collection/declaration.ts';
import { SCORE, SEARCH, SEARCH_MEMBERS } from '../collection/search-fields.ts';
import { builtIn } from '../collection/types/index.ts';
import { can, type Type } from '../collection/types/type.ts';
import type { Value } from '../collection/value.ts';
import type { FieldPath, JsonStep } from '../dialect/tree.ts';
import type { Expression, Predicate } from './types.ts';
import type { StoredRow } from './write-plan.ts';

export function resolveField(collection: Collection, name: string): Field {
  const field = fieldNamed(collection, name);
  if (field !== undefined) return field;
  if (name === SEARCH && collection.search !== undefined) throw misplacedSearch();
  if (isHidden(collection, name)) throw fieldDenied(collection.name, name, 'read');
  throw new ApiError('42703', say`column ${collection.name}.${name} does not exist`, {
    hint: nearestHint(collection, name),
    suggestion: suggestName(
      name,
      [...collection.byName.keys()],
      say`there are ${[...collection.byName.keys()].join(', ')}`,
    ),
    field: name,
  });
}

/** For `search` in a place where it means nothing. */
export function misplacedSearch(): ApiError {
  return new ApiError('PGRST127', say`search is a filter of a list`, {
    hint: 'Write search=wfts.red shoe beside other filters, not in or=, and=, rules or writes. Then select and order may name search.',
  });
}

/** Whether the field exists but the caller may not name it. */
export function isHidden({ view, byName }: Collection, name: string): boolean {
  return view !== undefined && !byName.has(name) && view.of.byName.has(name);
}

/** The same object each time, since plans and statements are cached by the identity of expressions. */
export const fieldExpression = memoize((field: Field): Expression => ({ kind: 'field', field, type: field.type }));

/**
 * A field, or a path into it for json, arrays and composite types. Other types contain nothing, as PostgreSQL's
 * `to_jsonb(1)->'x'`; paths into text are rejected.
 */
export function resolvePath(collection: Collection, { name, json: steps, figure }: FieldPath): Expression {
  if (figure !== undefined) {
    throw new ApiError('PGRST127', say`an aggregate of related rows is a filter or an order of a list`, {
      hint: `Leave out ${figure.embed} in rules and beside other aggregates.`,
    });
  }
  const field = resolveField(collection, name);
  const of = fieldExpression(field);
  const last = steps.at(-1);
  if (last === undefined) return of;
  const type = pathType(last);
  if (field === SCORE) return resolveMember(steps, type);
  if (PATH_ABILITIES.some((ability) => can(field.type, ability))) return { kind: 'path', of, steps, type };
  if (can(field.type, 'text')) {
    throw new ApiError('42883', say`operator does not exist: text ${steps[0]!.arrow} unknown`, {
      hint: `${name} is text, not JSON: there is nothing inside to select.`,
    });
  }
  return { kind: 'null', type };
}

function resolveMember([first, ...steps]: readonly JsonStep[], type: Type): Expression {
  const member = SEARCH_MEMBERS.get(first!.key);
  if (member === undefined) {
    throw new ApiError('42703', say`search has no member ${first!.key}`, {
      hint: `Its members are ${[...SEARCH_MEMBERS.keys()].join(' and ')}.`,
    });
  }
  const of = fieldExpression(member);
  return steps.length === 0 ? of : { kind: 'path', of, steps, type };
}

export function undefinedFor(what: Wording, kind: 'operator' | 'function'): ApiError {
  return new ApiError('42883', kind === 'operator' ? what : say`${what} does not exist`, {
    hint: say`No ${kind === 'operator' ? say`operator` : say`function`} matches the given name and argument types. You might need to add explicit type casts.`,
  });
}

const PATH_ABILITIES = ['json', 'array', 'foreign'] as const;

/** The type of a JSON path, given by its last arrow. */
export function pathType({ arrow }: JsonStep): Type {
  return builtIn(arrow === '->>' ? 'text' : 'json');
}

export function nearestHint(collection: Collection, name: string): Sentence | undefined {
  const names = [...collection.byName.keys()];
  const ordered = SQL_ORDER.exec(name);
  if (ordered !== null && names.includes(ordered[1]!)) {
    const term = name.toLowerCase().replace('nulls ', 'nulls').replaceAll(' ', '.');
    return say`A dot stands between a field and its direction: write order=${term}.`;
  }
  const nearest = nearestName(name, names);
  if (nearest !== undefined) return say`Perhaps you meant the field '${nearest}'.`;
  return collection.draft.schema === undefined ? say`The fields are ${names.join(', ')}.` : undefined;
}

/** Matches an order in SQL syntax: `unit_price desc nulls last`. */
const SQL_ORDER = /^(\w+)(?: (?:asc|desc))?(?: nulls ?(?:first|last))?$/i;

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
      report(new ApiError('21000', say`a write cannot affect a row a second time`, { details, ...location }));
    } else positions.set(name, index);
  }
}

export function notSingular(rows: number): ApiError {
  return new ApiError('PGRST116', say`Cannot coerce the result to a single JSON object`, {
    details: say`The result contains ${rows} rows`,
  });
}
