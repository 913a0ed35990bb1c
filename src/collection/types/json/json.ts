/** json: PostgreSQL's jsonb, stored as its printed text and compared as jsonb compares. */
import { ApiError } from '../../../base/errors.ts';
import { MAX_CONTAINMENT_STEPS } from '../../../base/limits/engine.ts';
import { parseJson, WrittenNumber } from '../../exact-json.ts';
import type { Value } from '../../value.ts';
import { keyCount, keyPart } from '../compare.ts';
import { decimalKey } from '../number/decimal-text.ts';
import { toNumbers, wholeOfDecimal } from '../number/numeric.ts';
import { type Cast, defineType, itself, type Type } from '../type.ts';
import { printJson, readJson, storedKeys } from './json-text.ts';

const read = (text: string): string => printJson(readJson(text));

const numberIn: Cast = (value, to) => {
  const json = parseJson(String(value));
  if (typeof json === 'number' || json instanceof WrittenNumber) return String(value);
  return rejectOther(json, to);
};

const booleanIn: Cast = (value, to) => {
  const json = parseJson(String(value));
  return typeof json === 'boolean' ? String(json) : rejectOther(json, to);
};

/** JSON null casts to SQL null. */
function rejectOther(json: unknown, to: Type): null {
  if (json === null) return null;
  throw new ApiError('22023', `cannot cast jsonb ${kindOf(json)} to type ${to.title}`);
}

function kindOf(json: unknown): string {
  if (typeof json === 'number' || json instanceof WrittenNumber) return 'numeric';
  if (Array.isArray(json)) return 'array';
  return typeof json;
}

function wholeIn(value: Value, to: Type): string | null {
  const number = numberIn(value, to);
  return number === null ? null : wholeOfDecimal(number, to);
}

export const json = defineType({
  name: 'json',
  title: 'jsonb',
  abilities: ['json'],
  read,
  storeJson: printJson,
  json: String,
  key: (value) => jsonKey(parseJson(String(value))),
  casts: { ...toNumbers(numberIn, wholeIn), boolean: booleanIn },
  contains: (operator, value) => {
    const other = parseJson(String(value));
    return operator === 'cd'
      ? (tested) => jsonContains(other, parseJson(String(tested)))
      : (tested) => jsonContains(parseJson(String(tested)), other);
  },
  sqlite: { column: 'text', keyed: true, json: itself, text: itself, check: (sql) => `json_valid(${sql})` },
  postgres: { name: 'jsonb', parameter: 'text::jsonb' },
  schema: { examples: [{ colour: 'red', sizes: [36, 38] }] },
  typescript: 'Json',
  declares: 'export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[];',
  input: 'json',
});

/**
 * The sort order of jsonb: null, texts, numbers, false, true, arrays, objects. Shorter arrays and objects come first,
 * then the comparison goes part by part, with keys in storage order. A top-level empty array sorts first, for
 * historical reasons in PostgreSQL.
 */
function jsonKey(json: unknown): string {
  return Array.isArray(json) && json.length === 0 ? '0' : partKey(json);
}

function partKey(json: unknown): string {
  if (json === null) return '1';
  if (typeof json === 'string') return `2${keyPart(json)}`;
  if (typeof json === 'number') return `3${decimalKey(String(json))}`;
  if (json instanceof WrittenNumber) return `3${decimalKey(json.text)}`;
  if (typeof json === 'boolean') return json ? '5' : '4';
  if (Array.isArray(json)) return `6${keyCount(json.length)}${json.map(partKey).join('')}`;
  const members = storedKeys(json as object).map(
    (key) => keyPart(key) + partKey((json as Record<string, unknown>)[key]),
  );
  return `7${keyCount(members.length)}${members.join('')}`;
}

/**
 * jsonb's `@>`: an object contains another if it has its members, an array if it has its elements in any order; nested
 * values need only be contained as well. An array also contains a single value that is one of its elements.
 */
function jsonContains(whole: unknown, part: unknown): boolean {
  let steps = 0;
  if (Array.isArray(whole) && !isContainer(part)) return singlesOf(whole).has(jsonKey(part));
  return contains(whole, part);

  function contains(one: unknown, other: unknown): boolean {
    if (++steps > MAX_CONTAINMENT_STEPS) throw new ApiError('54000', 'too many elements to compare');
    if (!isContainer(other)) return !isContainer(one) && jsonKey(one) === jsonKey(other);
    if (Array.isArray(other)) return Array.isArray(one) && hasElements(one, other);
    if (!isContainer(one) || Array.isArray(one)) return false;
    return Object.keys(other).every((key) => Object.hasOwn(one, key) && contains(one[key], other[key]));
  }

  function hasElements(one: readonly unknown[], other: readonly unknown[]): boolean {
    const singles = singlesOf(one);
    const containers = one.filter(isContainer);
    return other.every((part) =>
      isContainer(part) ? containers.some((each) => contains(each, part)) : singles.has(jsonKey(part)),
    );
  }
}

/** The scalar elements by their keys: 1 and 1.0 are equal. */
function singlesOf(array: readonly unknown[]): ReadonlySet<string> {
  return new Set(array.filter((each) => !isContainer(each)).map(jsonKey));
}

function isContainer(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null && !(json instanceof WrittenNumber);
}
