/** Parses `[not.]operator.value`, the right side of a filter. */
import { ApiError } from '../base/errors.ts';
import { MAX_LIST_VALUES } from '../base/limits/http.ts';
import { didYouMean } from '../base/nearest-name.ts';
import { say } from '../base/sentence.ts';
import { NO_STEPS, readListedValue, readTestedPath, Scanner } from './names.ts';
import {
  OPERATOR_SYMBOLS,
  OPERATORS,
  type OperatorName,
  operatorNamed,
  type SearchOperator,
  type ValueOperator,
} from './operators.ts';
import { FACETS_MEDIA_TYPE } from './order.ts';
import { type Comparison, type FieldPath, IS_VALUES, type IsValue, type Quantifier, type Test } from './tree.ts';

const OPERATOR = say`operator (eq, gt, ...)`;
const OPERATOR_NAME = /[a-z]+/y;
const CONFIG_NAME = /\(([\p{L}\p{N}_$ -]+)\)/uy;

/** Parses `key=value` of the query string. `path` ends with a point and leads to the embedding that has the field. */
export function parseFilter(key: string, value: string, path = ''): Comparison {
  const field = readKey(key, value, path);
  const scanner = new Scanner('filter', value, () => hintFor(path + key, value));
  const { negated, test } = readTest(scanner, readRest);
  scanner.skipSpaces();
  scanner.expectEnd();
  return { kind: 'comparison', field, negated, test };
}

/** The first character of a comparison such as `data->>price!=eq.5`; a JSON key ends with one only in quotes. */
const COMPARISON_START = /[!~]$/;

const PLAIN_KEY = /^[A-Za-z0-9_$]+$/;

/** Some clients number repeated parameters: `name[0]=ilike.*a*&name[1]=ilike.*b*`. */
const REPETITION_NUMBER = /\[\d*\]/y;

function readKey(key: string, value: string, path: string): FieldPath {
  if (PLAIN_KEY.test(key)) return { name: key, json: NO_STEPS };
  const scanner = new Scanner('filter', key);
  const field = readTestedPath(scanner);
  const after = scanner.position;
  if (!scanner.atEnd) scanner.takeWhile(REPETITION_NUMBER);
  if (scanner.atEnd && !COMPARISON_START.test(key)) return field;
  const end = after === key.length ? key.length - 1 : after;
  const rest = value === '' ? key.slice(end) : `${key.slice(end)}=${value}`;
  return scanner.fail(say`end of input`, end, operatorHint(path + key.slice(0, end).trimEnd(), rest));
}

/** `field.operator.value` inside a logic tree. */
export function readCondition(scanner: Scanner): Comparison {
  const field = readTestedPath(scanner);
  scanner.expect('.', 'delimiter (.)');
  return { kind: 'comparison', field, ...readTest(scanner, readLogicValue) };
}

function readTest(scanner: Scanner, readValue: (scanner: Scanner) => string): { negated: boolean; test: Test } {
  const negated = scanner.take('not.');
  const start = scanner.position;
  const name = scanner.takeWhile(OPERATOR_NAME);
  const rules = operatorNamed(name);
  if (rules === undefined) scanner.fail(negated ? OPERATOR : say`"not" or ${OPERATOR}`, start);
  const operator = name as OperatorName;
  switch (rules.form) {
    case 'list':
      expectDelimiter(scanner);
      return { negated, test: { kind: 'in', values: readList(scanner) } };
    case 'keyword':
      expectDelimiter(scanner);
      return { negated, test: { kind: 'is', value: readIsValue(scanner) } };
    case 'search': {
      const config = scanner.match(CONFIG_NAME)?.[1];
      expectDelimiter(scanner);
      const search = { kind: 'search', operator: operator as SearchOperator, query: readValue(scanner) } as const;
      return { negated, test: config === undefined ? search : { ...search, config: config.trim() } };
    }
    case 'value': {
      const quantifier = rules.quantifiable ? readQuantifier(scanner) : undefined;
      expectDelimiter(scanner);
      const test = { kind: 'value', operator: operator as ValueOperator, value: readValue(scanner) } as const;
      return { negated, test: quantifier === undefined ? test : { ...test, quantifier } };
    }
  }
}

function expectDelimiter(scanner: Scanner): void {
  scanner.expect('.', OPERATOR);
}

function readRest(scanner: Scanner): string {
  const rest = scanner.text.slice(scanner.position);
  scanner.position = scanner.text.length;
  return rest;
}

const ARRAY = /\{[^{}]*\}/y;

function readLogicValue(scanner: Scanner): string {
  const array = scanner.takeWhile(ARRAY);
  return array === '' ? readListedValue(scanner) : array;
}

function readList(scanner: Scanner): string[] {
  scanner.skipSpaces();
  scanner.expect('(');
  scanner.skipSpaces();
  const values = scanner.list(() => readListedValue(scanner), MAX_LIST_VALUES, tooManyValues);
  scanner.expect(')', '"," or ")"');
  return values.length === 1 && values[0] === '' ? [] : values;
}

export function tooManyValues(): ApiError {
  return new ApiError('54000', say`a list may hold ${MAX_LIST_VALUES} values`, {
    hint: 'Ask in several requests.',
  });
}

const IS_VALUE = new RegExp(IS_VALUES.join('|'), 'iy');

function readIsValue(scanner: Scanner): IsValue {
  const keyword = scanner.takeWhile(IS_VALUE).toLowerCase();
  if (keyword === '') scanner.fail(`isVal: (null, not_null, true, false, unknown)`);
  return keyword as IsValue;
}

function readQuantifier(scanner: Scanner): Quantifier | undefined {
  const start = scanner.position;
  if (!scanner.take('(')) return undefined;
  if (scanner.take('any)')) return 'any';
  if (scanner.take('all)')) return 'all';
  return scanner.fail(OPERATOR, start + 1);
}

/** Parameters of other services, and their equivalents here. */
const FOREIGN_PARAMETERS: readonly [names: RegExp, advice: string][] = [
  [
    /^(page|page_?(size|number|no)|per_?page|skip|start|cursor)$/i,
    'To read page by page, write limit and offset: limit=20&offset=40 is the third page of 20 rows',
  ],
  [/^(sort|sort_?by|order_?by|direction|dir)$/i, 'To sort, write order=FIELD.asc or order=FIELD.desc'],
  [/^(fields|columns?|include|expand)$/i, 'To choose fields, write select=FIELD,FIELD'],
];

/** Parameters that look like a search. The grammar does not know which collections declare one. */
const SEARCH_PARAMETERS = /^(q|query|search|keywords?)$/i;

/** For `price>=5`, `price!=eq.5` and the like; `rest` follows the name. */
function operatorHint(name: string, rest: string): string {
  const [, symbol = '', text = ''] = /^([<>!=~*]*)\s*(.*)$/s.exec(rest)!;
  const operator = OPERATOR_SYMBOLS[symbol] ?? OPERATOR_SYMBOLS[symbol.slice(1)];
  const test = operator === undefined ? undefined : suggestedTest(operator, text);
  return `Write ${name}=${test ?? 'eq.VALUE'}. The operators are eq, neq, gt, gte, lt, lte, like, in, is and others.`;
}

/** Suggests a test. Returns undefined if the text contradicts the symbol: a wrong suggestion may match every row. */
function suggestedTest(operator: OperatorName, text: string): string | undefined {
  const value = text.replace(operator === 'neq' ? /^n?eq\./ : /^(n?eq|[gl]te?)\./, '');
  const [, written] = /^([a-z]+)[.(]/.exec(value) ?? [];
  if (written === undefined || (written !== 'not' && operatorNamed(written) === undefined))
    return `${operator}.${value}`;
  return operator === 'neq' && written !== 'not' ? `not.${value}` : undefined;
}

/** `id=1` is the most common mistake, `q=chai` the next. */
function hintFor(key: string, value: string): string | undefined {
  if (key === 'facets') return `To count rows by fields, send the header Accept: ${FACETS_MEDIA_TYPE}`;
  if (/^(not\.)?in\./.test(value))
    return 'Write in.(a,b); put a value with a comma or a parenthesis into double quotes.';
  const [, , operator] = /^(not\.)?([a-z]+)[.(]/.exec(value) ?? [];
  if (operator !== undefined) {
    if (operatorNamed(operator) !== undefined) return undefined;
    const nearest = didYouMean(operator, Object.keys(OPERATORS));
    return `${operator} is not an operator${nearest}. If it is part of the value, write ${key}=eq.${value}`;
  }
  if (/^[<>!=~]/.test(value)) return operatorHint(key, `=${value}`);
  const declared = SEARCH_PARAMETERS.test(key) ? `; if the collection declares a search, search=wfts.${value}` : '';
  const advice = FOREIGN_PARAMETERS.find(([names]) => names.test(key))?.[1];
  return advice === undefined
    ? `To filter by a value, write ${key}=eq.${value}; to search in a text field, field=ilike.*${value}*${declared}`
    : `${advice}; to filter by a field of that name, ${key}=eq.${value}`;
}
