/** Conditions of the query language in everyday words, and the operators that a field supports. */
import { treeOf } from '../../../collection/tree.ts';
import { OPERATORS, type OperatorName, servesType } from '../../../dialect/operators.ts';
import type { Value } from '../api/catalogue.ts';
import { type FilterField, OR_EMPTY, type Period } from '../api/query/filters.ts';
import { equals } from '../api/query/text.ts';
import { inList } from '../fields/filters.tsx';
import type { FieldPlace, Parsed } from '../fields/kind.ts';
import { formatValue, kindOf, parseText, printValue } from '../fields/registry.ts';
import { formatDigits } from '../i18n/numbers.ts';
import { t } from '../i18n/text.ts';

/** A condition in parts: `not.in.(1,2)` has the operator `in` and the operand `(1,2)`. */
export interface ConditionParts {
  readonly isNegated: boolean;
  /** With its quantifier: `like(any)`. */
  readonly operator: string;
  readonly operand: string;
}

export function parseCondition(text: string): ConditionParts {
  const [, not, operator = '', operand = ''] = /^(not\.)?(\w+(?:\([\w-]+\))?)\.([\s\S]*)$/.exec(text) ?? [];
  return { isNegated: not !== undefined, operator, operand };
}

export function printCondition({ isNegated, operator, operand }: ConditionParts): string {
  return `${isNegated ? 'not.' : ''}${operator}.${operand}`;
}

/** The claim of a rule: `region` of `{claims.region}`. */
export const claimIn = (operand: string): string | undefined => /^\{claims\.([\w.]*)\}$/.exec(operand)?.[1];
export const printClaim = (name: string): string => `{claims.${name.replaceAll(/[^\w.]/g, '')}}`;
/** A value of the request in a rule: `{claims.region}`, `{now}`. */
const PLACEHOLDER = /^\{[\w.]*\w\}$/;

/** The values of a list: `(1,"a, b")`. */
export function parseList(operand: string): readonly string[] {
  const inner = operand.replace(/^[({]|[)}]$/g, '');
  return [...inner.matchAll(/"((?:\\.|[^"\\])*)"|[^,]+/g)].map(([whole, text]) =>
    text === undefined ? whole.trim() : text.replaceAll(/\\(.)/g, '$1'),
  );
}

const withoutEmpty = (condition: string): string =>
  condition.startsWith(OR_EMPTY) ? condition.slice(OR_EMPTY.length) : condition;

/** The values that a condition selects from a list. Null does not count as a value. */
export function valuesOf(condition: string): readonly Value[] {
  const { isNegated, operator, operand } = parseCondition(withoutEmpty(condition));
  const empty = condition.startsWith(OR_EMPTY) ? [null] : [];
  if (isNegated) return empty;
  if (operator === 'in') return [...empty, ...parseList(operand)];
  if (operator === 'is' && operand === 'null') return [null];
  return operator === 'eq' || operator === 'is' ? [operand] : [];
}

/** Whether a list has a value. Conditions have values as texts. */
export const hasValue = (values: readonly Value[], value: Value): boolean =>
  values.some((each) => String(each) === String(value));

/** The values with one more, or one fewer. */
export const toggleValue = (values: readonly Value[], value: Value): readonly Value[] =>
  hasValue(values, value) ? values.filter((each) => String(each) !== String(value)) : [...values, value];

/** The condition that selects these values. */
export function conditionFor(values: readonly Value[]): readonly string[] {
  const given = values.filter((value) => value !== null);
  if (given.length === 0) return values.length === 0 ? [] : ['is.null'];
  if (given.length < values.length) return [`${OR_EMPTY}${inList(given)}`];
  return [given.length > 1 ? inList(given) : equals(given[0])];
}

/** The operator and operand of a list of values. A single value stays in the list, where others can be added. */
export function listParts(values: readonly Value[]): Omit<ConditionParts, 'isNegated'> {
  const isSingle = values.length < 2 && values[0] !== null;
  const { operator, operand } = parseCondition(isSingle ? inList(values) : conditionFor(values)[0]!);
  return { operator, operand };
}

const SIGNS: Readonly<Record<string, string>> = { eq: '=', neq: '≠', gt: '>', gte: '≥', lt: '<', lte: '≤' };

/** Describes a filter: `Unit price > 80`, `Product name contains sauce`, `Category: Seafood, Produce`. */
export function describeFilter(place: FilterField | undefined, name: string, text: string): string {
  if (place === undefined) return `${name} ${text}`;
  const condition = withoutEmpty(text);
  const { isNegated, operator, operand } = parseCondition(condition);
  const { label } = place;
  const words = (text: string) => `${label} ${isNegated ? `${t.find.not} ` : ''}${text}`;
  if (operator === 'during') return `${label}: ${t.find.periods[operand as Period] ?? operand}`;
  const yes = yesNo(place, operator, operand);
  if (yes !== undefined) return words(yes ? t.app.yes : t.app.no);
  if (operator === 'is') return emptyWords(words, isNegated, operand, label);
  if (operator === 'in') {
    const empty = condition === text ? [] : [t.app.empty];
    const values = [...empty, ...parseList(operand).map((value) => formatText(place, value))];
    return `${label}: ${isNegated ? `${t.find.not} ` : ''}${values.join(', ')}`;
  }
  const sign = SIGNS[operator];
  if (sign !== undefined) return words(`${sign} ${formatText(place, operand)}`);
  const [, before, inner = '', after] = /^(\*?)((?:\\.|[^*\\])*)(\*?)$/s.exec(operand) ?? [];
  const plain = inner.replaceAll(/\\(.)/g, '$1');
  if (operator === 'ilike' && before === '*' && after === '*') return words(`${t.find.contains} ${plain}`);
  if (operator === 'ilike' && before === '' && after === '*') return words(`${t.find.begins} ${plain}`);
  if (operator === 'cs') return words(`${t.find.has} ${parseList(operand).join(', ')}`);
  // The words of an operator may end with an example or an explanation.
  return words(`${operatorWords(operator).replace(/\s*[:(].*/, '')} ${operand}`);
}

function emptyWords(words: (text: string) => string, isNegated: boolean, operand: string, label: string): string {
  if (operand === 'null') return `${label} ${isNegated ? t.fields.isNotEmpty : t.fields.isEmpty}`;
  return operand === 'not_null' ? words(t.fields.isNotEmpty) : words(`${t.find.operators.is} ${operand}`);
}

/** Whether the condition means yes or no of a boolean or a flag; undefined if neither. */
function yesNo(place: FieldPlace, operator: string, operand: string): boolean | undefined {
  if (kindOf(place).name !== 'boolean') return undefined;
  if (operator === 'is' && (operand === 'true' || operand === 'false')) return operand === 'true';
  return operand === '0' && (operator === 'eq' || operator === 'neq') ? operator === 'neq' : undefined;
}

/** An operand for people. A reference is its title, if the page knows it. */
function formatText(place: FieldPlace, operand: string): string {
  const claim = claimIn(operand);
  if (claim !== undefined) return t.find.claimOf(claim);
  if (operand === '{now}') return t.find.now;
  const { name } = kindOf(place);
  if (name === 'number') return formatDigits(operand, 0);
  return name === 'reference' || name === 'date' ? formatValue(place, operand) : operand;
}

export const plainName = (operator: string): OperatorName => operator.replace(/\(.*/, '') as OperatorName;

/** `claim`, `empty` and `notEmpty` are operators of the console. */
export function operatorWords(operator: string): string {
  if (operator === 'during') return t.find.during;
  if (operator === 'claim') return t.find.claim;
  if (operator === 'empty') return t.fields.isEmpty;
  if (operator === 'notEmpty') return t.fields.isNotEmpty;
  return t.find.operators[plainName(operator)] ?? operator;
}

const TREE_OPERATORS = ['within', 'above'];

/** The operators that a field supports by its type, or as a field of a tree. */
export function operatorsOf({ collection, field }: FieldPlace): readonly string[] {
  const isDate = field.type.input === 'date' || field.type.input === 'datetime';
  const names = (Object.keys(OPERATORS) as OperatorName[]).filter((name) =>
    TREE_OPERATORS.includes(name) ? treeOf(collection, field) !== undefined : servesType(OPERATORS[name], field.type),
  );
  return isDate ? ['during', ...names] : names;
}

export const VALUE_OPERATORS = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'isdistinct', ...TREE_OPERATORS];

/** Whether an operand is shown and typed as in a cell. */
const isCell = (place: FieldPlace, operator: string): boolean =>
  VALUE_OPERATORS.includes(operator) && ['number', 'date', 'reference'].includes(kindOf(place).name);

/** A stored operand as it is typed. */
export const printOperand = (place: FieldPlace, operator: string, operand: string): string =>
  isCell(place, operator) && !operand.startsWith('{') ? printValue(place, operand) : operand;

/** Converts typed text into an operand. Numbers and dates are read as in a cell; lists get their parentheses. */
export function parseOperand(place: FieldPlace, operator: string, typed: string): Parsed {
  const text = typed.trim();
  if (text === '' || claimIn(text) === '') return { problem: t.errors.required };
  if (PLACEHOLDER.test(text)) return { value: text };
  if (plainName(operator) === 'in' && !text.startsWith('(')) return { value: `(${text})` };
  if (!isCell(place, operator)) return { value: text };
  const parsed = parseText(place, text);
  return 'value' in parsed ? { value: String(parsed.value) } : parsed;
}
