/** The rules of a field, reported as check constraint violations, as in PostgreSQL. */

import { ApiError } from '../base/errors.ts';
import { memoize } from '../base/memo.ts';
import type { Collection, Field } from '../collection/declaration.ts';
import { compareValues } from '../collection/types/compare.ts';
import { can } from '../collection/types/type.ts';
import type { Value } from '../collection/value.ts';
import { compileRegex } from '../text/regex.ts';

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
