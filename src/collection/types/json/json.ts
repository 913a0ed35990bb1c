/** json: PostgreSQL's jsonb, stored as its printed text and compared as jsonb compares. */
import { ApiError } from '../../../base/errors.ts';
import { parseJson, WrittenNumber } from '../../exact-json.ts';
import type { Value } from '../../value.ts';
import { toNumbers, wholeOfDecimal } from '../number/number-casts.ts';
import { type Cast, defineType, itself, type Type } from '../type.ts';
import { jsonContains, jsonKey } from './json-order.ts';
import { printJson, readJson } from './json-text.ts';

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
