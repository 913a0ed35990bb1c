/** Filters as people set them in the console, and the query string they make. */
import { OPERATORS, type OperatorName, type OperatorRules } from '../../../dialect/operators.ts';
import { collectionName, fieldNamed, listPath, titleField } from './collection.ts';
import { shownTitle } from './references.ts';

/** One condition on a field. */
export interface FieldChip {
  readonly field: string;
  readonly operator: OperatorName;
  readonly not?: boolean;
  readonly value: string;
}

/** The same, or a condition of several parts that a chart's bar stands for. */
export type Chip = FieldChip | { readonly raw: readonly [key: string, value: string]; readonly label: string };

export interface Filter {
  /** Words that the name must contain. */
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

/** Several keys are one text of the address, as the dialect writes them: `category_id.asc,unit_price`, and the last one's order beside it. */
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

/** The keys as the service is asked for them: a reference is sorted by the title that it is shown as. `isListed`: the titles come with the rows. */
export function orderKeys(keys: readonly SortKey[], { isListed }: { readonly isListed: boolean }): readonly SortKey[] {
  return keys.map(({ name, order }) => {
    const shown = shownTitle(name);
    return { name: shown === undefined ? name : `${isListed ? shown.place : name}(${shown.title})`, order };
  });
}

/** The filter in an address, where anyone may have written anything: what makes no sense is left out. */
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

/** The pattern characters of `like`, when a person types them, stand for themselves. */
export function escapeLike(word: string): string {
  return word.replace(/[\\%_]/g, '\\$&');
}

export function queryText(pairs: readonly Pair[]): string {
  return pairs.map(([name, value]) => `${name}=${encodeValue(value)}`).join('&');
}

/** Characters that stand for themselves in a query string stay as they are, for people who read the URL. */
function encodeValue(value: string): string {
  return encodeURIComponent(value).replace(/%(2C|3A|24|40|2F)/g, (escaped) => decodeURIComponent(escaped));
}

/** The URL of what is filtered and sorted, without the page. What is only sorted by is embedded without a column: `category_id()`. */
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

/** The address in the console of the list behind a figure. */
export function listLink(where: readonly Chip[]): string {
  return `/${collectionName}?${new URLSearchParams({ filter: JSON.stringify({ where }), page: '1' })}`;
}
