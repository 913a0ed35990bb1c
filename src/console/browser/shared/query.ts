/** Filters as people set them in the console, and the query string they make. */
import { OPERATORS, type OperatorName, type OperatorRules } from '../../../dialect/operators.ts';
import { collectionName, fieldNamed, fieldWith, labelOf, listPath } from './collection.ts';

/** One condition on a field, or a condition of several parts that a chart's bar stands for. */
export type Chip =
  | { readonly field: string; readonly operator: OperatorName; readonly not?: boolean; readonly value: string }
  | { readonly raw: readonly [key: string, value: string]; readonly label: string };

export interface Filter {
  /** Words that the name must contain. */
  readonly q?: string;
  readonly where?: readonly Chip[];
}

export interface Sort {
  readonly field: string;
  readonly order: 'ASC' | 'DESC';
}

type Pair = readonly [key: string, value: string];

export function pairsOf({ q, where = [] }: Filter): readonly Pair[] {
  const title = fieldWith('title');
  const words = title === undefined ? [] : (q ?? '').split(/\s+/).filter((word) => word !== '');
  return [
    ...words.map((word): Pair => [title!.name, `ilike.*${escapeLike(word)}*`]),
    ...where.map((chip): Pair => ('raw' in chip ? chip.raw : [chip.field, testOf(chip)])),
  ];
}

function testOf({ operator, not, value }: Extract<Chip, { field: string }>): string {
  const { form } = OPERATORS[operator] as OperatorRules;
  return `${not ? 'not.' : ''}${operator}.${form === 'list' ? `(${value})` : value}`;
}

/** The pattern characters of `like`, when a person types them, stand for themselves. */
function escapeLike(word: string): string {
  return word.replace(/[\\%_]/g, '\\$&');
}

export function queryText(pairs: readonly Pair[]): string {
  return pairs.map(([name, value]) => `${name}=${encodeValue(value)}`).join('&');
}

/** Characters that stand for themselves in a query string stay as they are, for people who read the URL. */
function encodeValue(value: string): string {
  return encodeURIComponent(value).replace(/%(2C|3A|24|40|2F)/g, (escaped) => decodeURIComponent(escaped));
}

/** The URL of what is filtered and sorted, without the page. */
export function listUrl(filter: Filter, sort?: Sort): string {
  const order: Pair[] = sort === undefined ? [] : [['order', `${sort.field}.${sort.order.toLowerCase()}`]];
  const text = queryText([...pairsOf(filter), ...order]);
  return text === '' ? listPath : `${listPath}?${text}`;
}

export function curlOf(url: string): string {
  return `curl '${location.origin}${url.replaceAll("'", '%27')}'`;
}

/** The address in the console of the list behind a figure. */
export function listLink(where: readonly Chip[]): string {
  return `/${collectionName}?${new URLSearchParams({ filter: JSON.stringify({ where }), page: '1' })}`;
}

export function describeChip(chip: Chip): string {
  if ('raw' in chip) return chip.label;
  const field = fieldNamed(chip.field);
  const label = field === undefined ? chip.field : labelOf(field);
  return `${label} ${chip.not ? 'not ' : ''}${SHORT[chip.operator] ?? chip.operator} ${chip.value}`;
}

const SHORT: Readonly<Partial<Record<OperatorName, string>>> = {
  eq: '=',
  neq: '≠',
  gt: '>',
  gte: '≥',
  lt: '<',
  lte: '≤',
  in: 'in',
  is: 'is',
};
