/** The filters of a list, and the query string that they make. */
import { OPERATORS, type OperatorName, type OperatorRules } from '../../../../dialect/operators.ts';
import { shownTitle } from '../values/references.ts';
import { collectionName, fieldNamed, listPath, titleField } from './collection.ts';

/** A condition on one field. */
export interface FieldChip {
  readonly field: string;
  readonly operator: OperatorName;
  readonly not?: boolean;
  readonly value: string;
}

/** A condition on one field, or a raw condition from a bar of a chart. */
export type Chip = FieldChip | { readonly raw: readonly [key: string, value: string]; readonly label: string };

export interface Filter {
  /** Words that the title must contain. */
  readonly q?: string;
  readonly where?: readonly Chip[];
}

export interface Sort {
  readonly field: string;
  readonly order: 'ASC' | 'DESC';
}

export interface SortKey {
  readonly name: string;
  readonly order: Sort['order'];
}

/**
 * Parses the sort keys of an address: `category_id.asc,unit_price`, with the order of the last one in a parameter of
 * its own.
 */
export function sortKeysOf({ field = '', order = 'ASC' }: { field?: string; order?: string }): readonly SortKey[] {
  const parts = String(field).split(',');
  return parts
    .map((part, at): SortKey => {
      const [name = '', direction = ''] = part.split('.');
      const own = at === parts.length - 1 ? String(order) : direction;
      return { name, order: own.toUpperCase() === 'DESC' ? 'DESC' : 'ASC' };
    })
    .filter(
      ({ name }, at, all) => fieldNamed(name) !== undefined && all.findIndex((each) => each.name === name) === at,
    );
}

export function sortOf(keys: readonly SortKey[]): Sort {
  const last = keys.at(-1)!;
  const before = keys.slice(0, -1).map(({ name, order }) => `${name}.${order.toLowerCase()}`);
  return { field: [...before, last.name].join(','), order: last.order };
}

type Pair = readonly [key: string, value: string];

/**
 * The sort keys of a request. A reference is sorted by its title. `isListed` means that the rows include the titles.
 */
export function orderKeys(keys: readonly SortKey[], { isListed }: { readonly isListed: boolean }): readonly SortKey[] {
  return keys.map(({ name, order }) => {
    const shown = shownTitle(name);
    return { name: shown === undefined ? name : `${isListed ? shown.place : name}(${shown.title})`, order };
  });
}

/** Parses the filter of an address. Invalid parts are dropped, since an address may contain anything. */
export function filterOf(given: unknown): Filter {
  if (typeof given !== 'object' || given === null) return {};
  const { q, where } = given as Record<string, unknown>;
  const chips = Array.isArray(where) ? where.flatMap(chipOf) : [];
  return { ...(typeof q === 'string' && q !== '' ? { q } : {}), ...(chips.length > 0 ? { where: chips } : {}) };
}

function chipOf(given: unknown): Chip[] {
  const { field, operator, value, not, raw, label } = (given ?? {}) as Record<string, unknown>;
  if (Array.isArray(raw)) {
    const [name, test] = raw as unknown[];
    const isCondition = typeof name === 'string' && (/^(not\.)?(or|and)$/.test(name) || fieldNamed(name) !== undefined);
    return isCondition && typeof test === 'string' ? [{ raw: [name, test], label: String(label ?? test) }] : [];
  }
  const isKnown = fieldNamed(String(field)) !== undefined && Object.hasOwn(OPERATORS, String(operator));
  if (!isKnown || (typeof value !== 'string' && typeof value !== 'number')) return [];
  const chip = { field: String(field), operator: operator as OperatorName, value: String(value) };
  return [not === true ? { ...chip, not } : chip];
}

export function pairsOf(given: Filter): readonly Pair[] {
  const { q, where = [] } = filterOf(given);
  const words = titleField === undefined ? [] : (q ?? '').split(/\s+/).filter((word) => word !== '');
  return [
    ...words.map((word): Pair => [titleField!.name, `ilike.*${escapeLike(word)}*`]),
    ...where.map((chip): Pair => ('raw' in chip ? chip.raw : [chip.field, testOf(chip)])),
  ];
}

function testOf({ operator, not, value }: FieldChip): string {
  const { form } = OPERATORS[operator] as OperatorRules;
  return `${not ? 'not.' : ''}${operator}.${form === 'list' ? `(${value})` : value}`;
}

/** Escapes the wildcards of `like`. */
export function escapeLike(word: string): string {
  return word.replace(/[\\%_]/g, '\\$&');
}

export function queryText(pairs: readonly Pair[]): string {
  return pairs.map(([name, value]) => `${name}=${encodeValue(value)}`).join('&');
}

/** Encodes a query value, but leaves readable characters that need no encoding. */
function encodeValue(value: string): string {
  return encodeURIComponent(value).replace(/%(2C|3A|24|40|2F)/g, (escaped) => decodeURIComponent(escaped));
}

/**
 * The URL of the filtered and sorted list, without the page. An embedding that only serves the order has no columns:
 * `category_id()`.
 */
export function listUrl(filter: Filter, sort?: Sort): string {
  const keys = sort === undefined ? [] : sortKeysOf(sort);
  const titles = keys.filter(({ name }) => shownTitle(name) !== undefined).map(({ name }) => `${name}()`);
  const order = orderKeys(keys, { isListed: false }).map(({ name, order: way }) => `${name}.${way.toLowerCase()}`);
  const text = queryText([
    ...pairsOf(filter),
    ...(titles.length === 0 ? [] : [['select', ['*', ...titles].join(',')] as const]),
    ...(order.length === 0 ? [] : [['order', order.join(',')] as const]),
  ]);
  return text === '' ? listPath : `${listPath}?${text}`;
}

export function curlOf(url: string): string {
  return `curl '${location.origin}${url.replaceAll("'", '%27')}'`;
}

/** The console address of a filtered list. */
export function listLink(where: readonly Chip[]): string {
  return `/${collectionName}?${new URLSearchParams({ filter: JSON.stringify({ where }), page: '1' })}`;
}
