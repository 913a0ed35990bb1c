/**
 * Converts the cells of a body to field values, parsed as PostgreSQL parses the text of a JSON value. Violated rules of
 * a field are reported as check constraint violations, as in PostgreSQL.
 */
import { ApiError } from '../base/errors.ts';
import { memoize } from '../base/memo.ts';
import { about, say } from '../base/sentence.ts';
import type { Collection, Field } from '../collection/declaration.ts';
import { compareValues } from '../collection/types/compare.ts';
import { can, isLong, storeJson } from '../collection/types/type.ts';
import type { Value } from '../collection/value.ts';
import { compileRegex } from '../text/regex.ts';
import { EarlierValue } from './write/earlier-value.ts';

export function coerce(field: Field, cell: unknown): Value {
  return bounded(field, cell, storeJson);
}

/** A cell of a body. A value of an earlier request of a batch keeps its place until the engine resolves the plan. */
export function planCell(field: Field, cell: unknown): Value {
  if (cell instanceof EarlierValue) return new EarlierValue(cell.request, cell.column, field.name) as unknown as Value;
  return coerce(field, cell);
}

/** A cell of a file, in which every cell, including json, is a text form. */
export function readCell(field: Field, cell: unknown): Value {
  return bounded(field, cell, (type) => (typeof cell === 'string' ? type.store(cell) : storeJson(type, cell)));
}

function bounded(field: Field, cell: unknown, read: (type: Field['type'], cell: unknown) => Value): Value {
  const isBounded = isLong(field.type);
  // Checked before parsing, which takes time for a long text.
  if (isBounded && typeof cell === 'string') checkLength(field, cell);
  const value = read(field.type, cell);
  if (isBounded && typeof value === 'string') checkLength(field, value);
  return value;
}

export function checkLength({ name, maxBytes }: Pick<Field, 'name' | 'maxBytes'>, text: string): void {
  // A UTF-16 unit takes one to three bytes.
  if (text.length * 3 <= maxBytes) return;
  const bytes = text.length > maxBytes ? text.length : new TextEncoder().encode(text).length;
  if (bytes <= maxBytes) return;
  throw valueTooLong({ name, maxBytes });
}

export function valueTooLong({ name, maxBytes }: Pick<Field, 'name' | 'maxBytes'>): ApiError {
  return new ApiError('54000', `a value of ${name} may have ${maxBytes} bytes`, {
    hint: 'Store a shorter one, or raise --max-value-kb.',
  });
}

/** Adds the row and field to an error about a body. The details of a body with one row do not number it. */
export function withLocation<E>(
  error: E,
  index: number | undefined,
  { name: field }: Pick<Field, 'name'>,
  isList = index !== undefined,
): E | ApiError {
  if (!(error instanceof ApiError)) return error;
  const place = isList ? say`row ${index! + 1}, field ${field}` : say`field ${field}`;
  const { message, details } = error.wordings;
  return error.with({ details: about(place, error.details === null ? message : details), index, field });
}

type Rule = { readonly words: string; readonly keeps: (value: Value) => boolean };

const rulesOf = memoize(({ type, rules }: Field): readonly Rule[] => {
  const { minimum, maximum, maxLength, pattern, oneOf, maxCount } = rules;
  const list: Rule[] = [];
  if (minimum !== undefined && minimum !== null) {
    list.push({ words: `must be at least ${minimum}`, keeps: (value) => compareValues(type, value, minimum) >= 0 });
  }
  if (maximum !== undefined && maximum !== null) {
    list.push({ words: `must be at most ${maximum}`, keeps: (value) => compareValues(type, value, maximum) <= 0 });
  }
  if (maxLength !== undefined) {
    list.push({
      words: `must have at most ${maxLength} characters`,
      keeps: (value) => String(value).length <= maxLength || [...String(value)].length <= maxLength,
    });
  }
  if (pattern !== undefined) {
    const { test } = compileRegex(pattern, false);
    list.push({ words: `must match ${pattern}`, keeps: (value) => test(String(value)) });
  }
  if (oneOf !== undefined) {
    list.push({ words: `must be one of ${oneOf.join(', ')}`, keeps: (value) => oneOf.includes(value) });
  }
  if (maxCount !== undefined) {
    const keeps = (value: Value) => (JSON.parse(String(value)) as readonly unknown[]).length <= maxCount;
    list.push({ words: `must have at most ${maxCount} elements`, keeps });
  }
  return list;
});

/** Null satisfies every rule. The engine checks the value of an earlier request when it is known. */
export function checkRules(collection: Collection, field: Field, value: Value | undefined): void {
  if (typeof value === 'object' || value === undefined) return;
  const broken = rulesOf(field).find((rule) => !rule.keeps(value));
  if (broken === undefined) return;
  // The values of an enum are part of its type.
  if (can(field.type, 'foreign')) {
    throw new ApiError('22P02', `invalid input value for enum ${field.type.title}: "${value}"`, {
      details: `${field.name} ${broken.words}`,
      field: field.name,
    });
  }
  throw ruleViolation(collection, field, broken.words);
}

/** The error of a check constraint, which does not say which of the field's rules a computed value breaks. */
export function checkViolation(collection: Collection, field: Field): ApiError {
  const words = rulesOf(field).map((rule) => rule.words);
  return ruleViolation(collection, field, words.length === 0 ? 'breaks a rule of its field' : words.join(' and '));
}

function ruleViolation({ name }: Collection, field: Field, words: string): ApiError {
  return new ApiError(
    '23514',
    `new row for relation "${name}" violates check constraint "${name}_${field.name}_check"`,
    {
      details: `${field.name} ${words}`,
      field: field.name,
    },
  );
}
