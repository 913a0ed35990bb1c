/** The rules of a field: what a value must be beyond its type. Broken, they are check constraints, as in PostgreSQL. */
import type { Collection, Field } from '../collection/declaration.ts';
import type { Value } from '../collection/value.ts';
import { Refusal } from '../errors.ts';
import { oncePer } from '../once-per.ts';
import { compileRegex } from '../text/regex.ts';

type Rule = { readonly words: string; readonly keeps: (value: Value) => boolean };

const rulesOf = oncePer(({ rules }: Field): readonly Rule[] => {
  const { minimum, maximum, maxLength, pattern, oneOf } = rules;
  const list: Rule[] = [];
  if (minimum !== undefined && minimum !== null) {
    list.push({ words: `must be at least ${minimum}`, keeps: (value) => compare(value, minimum) >= 0 });
  }
  if (maximum !== undefined && maximum !== null) {
    list.push({ words: `must be at most ${maximum}`, keeps: (value) => compare(value, maximum) <= 0 });
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
  return list;
});

/** Null breaks no rule. */
export function checkRules(collection: Collection, field: Field, value: Value | undefined): void {
  if (value === null || value === undefined) return;
  const broken = rulesOf(field).find((rule) => !rule.keeps(value));
  if (broken !== undefined) throw ruleViolation(collection, field, broken.words);
}

export function ruleViolation({ name }: Collection, field: Field, words: string): Refusal {
  return new Refusal(
    '23514',
    `new row for relation "${name}" violates check constraint "${name}_${field.name}_check"`,
    {
      details: `${field.name} ${words}`,
    },
  );
}

/** Numbers by their size, whether in a double or in text; everything else as text sorts. */
function compare(one: Value, other: Value): number {
  if (typeof one === 'string' && typeof other === 'string' && !isDecimal(one))
    return one < other ? -1 : one > other ? 1 : 0;
  return Number(one) - Number(other);
}

function isDecimal(text: string): boolean {
  return /^-?\d+(\.\d+)?$/.test(text);
}
