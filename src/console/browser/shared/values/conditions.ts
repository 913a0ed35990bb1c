/**
 * Filter conditions in everyday words, for fields of any type. Common conditions come first; other operators of the
 * type follow.
 */
import type { Field } from '../../../../collection/declaration.ts';
import { OPERATORS, type OperatorName, type OperatorRules, servesType } from '../../../../dialect/operators.ts';
import { isJson, isNumeric, isText, labelOf } from '../api/collection.ts';
import { escapeLike, type FieldChip } from '../api/query.ts';
import { editableNumber, readNumber } from './numbers.ts';
import { cachedTitle } from './references.ts';
import { isReference, isTags, isYesNo, readEntered } from './values.ts';

/** The inputs that a condition needs. */
export type Needs = 'value' | 'list' | 'pattern' | 'range' | 'nothing';

export interface Condition {
  readonly label: string;
  readonly needs: Needs;
  readonly operator: OperatorName;
  /** The value of a condition without an input. */
  readonly value?: string;
  /** Text around the typed value, such as wildcards. */
  readonly around?: readonly [before: string, after: string];
  readonly isEveryday: boolean;
}

const everyday = (label: string, operator: OperatorName, needs: Needs = 'value', more: Partial<Condition> = {}) => ({
  label,
  operator,
  needs,
  isEveryday: true,
  ...more,
});

const EMPTY = [
  everyday('is empty', 'is', 'nothing', { value: 'null' }),
  everyday('is not empty', 'is', 'nothing', { value: 'not_null' }),
];
const TEXT: readonly Condition[] = [
  everyday('contains', 'ilike', 'value', { around: ['*', '*'] }),
  everyday('begins with', 'ilike', 'value', { around: ['', '*'] }),
  everyday('is exactly', 'eq'),
  everyday('is not', 'neq'),
  everyday('is one of', 'in', 'list'),
];
/** A range: two conditions, either of which may be empty. */
const BETWEEN = everyday('is between', 'gte', 'range');
const ORDERED: readonly Condition[] = [
  everyday('equals', 'eq'),
  everyday('differs from', 'neq'),
  everyday('is greater than', 'gt'),
  everyday('is at least', 'gte'),
  everyday('is less than', 'lt'),
  everyday('is at most', 'lte'),
  BETWEEN,
  everyday('is one of', 'in', 'list'),
];
/** Conditions on a reference. */
const REFERENCE: readonly Condition[] = [everyday('is', 'eq'), everyday('is not', 'neq')];
const TAGS: readonly Condition[] = [everyday('has', 'cs', 'value', { around: ['{"', '"}'] })];
const BOOLEAN: readonly Condition[] = [
  everyday('Yes', 'is', 'nothing', { value: 'true' }),
  everyday('No', 'is', 'nothing', { value: 'false' }),
];
/** Conditions on a number that is used as a flag: anything but 0 is yes. */
const FLAG: readonly Condition[] = [
  everyday('Yes', 'neq', 'nothing', { value: '0' }),
  everyday('No', 'eq', 'nothing', { value: '0' }),
];

/** Labels of operators that have no condition above. */
const WORDS: Readonly<Record<OperatorName, string>> = {
  eq: 'equals',
  neq: 'differs from',
  gt: 'comes after',
  gte: 'is or comes after',
  lt: 'comes before',
  lte: 'is or comes before',
  like: 'matches the pattern, case-sensitive (* is any text)',
  ilike: 'matches the pattern (* is any text)',
  match: 'matches the regular expression, case-sensitive',
  imatch: 'matches the regular expression',
  in: 'is one of',
  is: 'is',
  isdistinct: 'differs from, or is empty',
  fts: 'contains words: sweet & (jam | honey)',
  plfts: 'contains all these words, in any form',
  phfts: 'contains this phrase',
  wfts: 'matches the web search: chef -gumbo "hot pepper"',
  cs: 'contains all of',
  cd: 'contains only',
  ov: 'contains one of',
  sl: 'is left of',
  sr: 'is right of',
  nxr: 'does not extend right of',
  nxl: 'does not extend left of',
  adj: 'is next to',
};
const NEVER_OFFERED: readonly OperatorName[] = ['is'];

export function conditionsFor(field: Field): readonly Condition[] {
  const first = [...everydayFor(field), ...(field.required ? [] : EMPTY)];
  if (isYesNo(field)) return first;
  const rest = (Object.keys(OPERATORS) as OperatorName[])
    .filter((name) => servesType(OPERATORS[name], field.type) && !NEVER_OFFERED.includes(name))
    .filter((name) => !first.some(({ operator, around }) => operator === name && around === undefined))
    .map((operator): Condition => {
      const { form } = OPERATORS[operator] as OperatorRules;
      return { label: WORDS[operator], operator, needs: form === 'list' ? 'list' : 'pattern', isEveryday: false };
    });
  return [...first, ...rest];
}

function everydayFor(field: Field): readonly Condition[] {
  if (field.role === 'flag') return FLAG;
  if (field.type.input === 'switch') return BOOLEAN;
  if (isTags(field)) return TAGS;
  if (isJson(field)) return [];
  if (isReference(field)) return REFERENCE;
  return isText(field) ? TEXT : ORDERED;
}

/** Parses the typed text into the value of a chip, or returns the problem. */
export function readCondition(
  field: Field,
  condition: Condition,
  typed: string,
): { value: string } | { problem: string } {
  const { needs, value = '', around } = condition;
  if (needs === 'nothing') return { value };
  if (typed.trim() === '') return { problem: 'Enter a value.' };
  if (around !== undefined) return { value: `${around[0]}${escaped(condition, typed.trim())}${around[1]}` };
  if (needs === 'pattern') return { value: typed };
  if (needs === 'value') return checked(field, typed);
  const values = typed
    .split(isNumeric(field) && typed.includes(';') ? ';' : ',')
    .map((each) => checked(field, each.trim()));
  const wrong = values.find((each) => 'problem' in each);
  return wrong ?? { value: values.map((each) => listed((each as { value: string }).value)).join(',') };
}

/** Escapes characters that the operator would interpret. */
function escaped({ operator }: Condition, words: string): string {
  return operator === 'cs' ? words.replaceAll(/["\\]/g, '\\$&') : escapeLike(words);
}

function checked(field: Field, typed: string): { value: string } | { problem: string } {
  const entered = readEntered(field, typed);
  if ('value' in entered) return { value: isNumeric(field) ? String(entered.value) : typed };
  // A value that breaks a rule can still be searched for. Only text that is not a value of the type is rejected.
  const number = isNumeric(field) ? readNumber(typed) : undefined;
  if (isText(field)) return { value: typed };
  return number === undefined ? entered : { value: number };
}

/** Formats a value for a list. */
function listed(text: string): string {
  return /^[\w.+-]+$/.test(text) ? text : `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

const SIGNS: Readonly<Partial<Record<OperatorName, string>>> = {
  gt: '>',
  gte: '≥',
  lt: '<',
  lte: '≤',
  eq: '=',
  neq: '≠',
};

/** Makes the chips of a field: one, or two for a range. */
export function readChips(
  field: Field,
  condition: Condition,
  typed: string,
  upTo: string,
): { chips: readonly FieldChip[] } | { problem: string } {
  const chip = (operator: OperatorName, value: string): FieldChip => ({ field: field.name, operator, value });
  if (condition.needs !== 'range') {
    const read = readCondition(field, condition, typed);
    return 'problem' in read ? read : { chips: [chip(condition.operator, read.value)] };
  }
  const ends = (
    [
      ['gte', typed],
      ['lte', upTo],
    ] as const
  ).filter(([, text]) => text.trim() !== '');
  if (ends.length === 0) return { problem: 'Enter a value.' };
  const read = ends.map(([operator, text]) => ({ operator, end: checked(field, text) }));
  const wrong = read.find(({ end }) => 'problem' in end);
  if (wrong !== undefined) return wrong.end as { problem: string };
  return { chips: read.map(({ operator, end }) => chip(operator, (end as { value: string }).value)) };
}

/** Finds the condition of a chip, and the typed text. */
export function conditionOf(field: Field, chip: FieldChip): { condition: Condition; typed: string } | undefined {
  const condition = fitting(field, chip);
  if (condition === undefined || condition.needs === 'nothing') return condition && { condition, typed: '' };
  const { value } = chip;
  if (condition.around !== undefined) return { condition, typed: within(condition.around, value) };
  if (condition.needs === 'list') return { condition, typed: unlisted(value).join(isNumeric(field) ? '; ' : ', ') };
  return { condition, typed: isNumeric(field) && !isReference(field) ? editableNumber(value) : value };
}

function fitting(field: Field, { operator, value }: FieldChip): Condition | undefined {
  return conditionsFor(field).find(
    (each) =>
      each.operator === operator &&
      each.needs !== 'range' &&
      (each.needs !== 'nothing' || each.value === value) &&
      (each.around === undefined || isAround(each.around, value)),
  );
}

function within([before, after]: readonly [string, string], value: string): string {
  return value.slice(before.length, value.length - after.length).replaceAll(/\\([\\%_"])/g, '$1');
}

/** Parses the values of a list. */
function unlisted(list: string): readonly string[] {
  return [...list.matchAll(/"((?:\\.|[^"\\])*)"|[^,]+/g)].map(([whole, quoted]) =>
    quoted === undefined ? whole.trim() : quoted.replaceAll(/\\(.)/g, '$1'),
  );
}

/** Describes a chip: `Unit price > 80`, `Product name contains sauce`, `Discontinued: No`. */
export function describeCondition(field: Field, chip: FieldChip): string {
  const { operator, value, not } = chip;
  const label = labelOf(field);
  const turned = not ? 'not: ' : '';
  const fits = fitting(field, chip);
  if (fits?.needs === 'nothing')
    return `${turned}${label}${isYesNo(field) && fits.operator !== 'is' ? ':' : ''} ${fits.label}`;
  const shown = fits?.around === undefined ? value : within(fits.around, value);
  const title = isReference(field) ? cachedTitle(field, value) : undefined;
  const text = title ?? (isNumeric(field) ? editableNumber(shown) : shown);
  return `${turned}${label} ${SIGNS[operator] ?? fits?.label ?? WORDS[operator]} ${text}`;
}

function isAround([before, after]: readonly [string, string], value: string): boolean {
  const inner = value.slice(before.length, value.length - after.length);
  return value.startsWith(before) && value.endsWith(after) && value.length >= 2 && !inner.includes('*');
}
