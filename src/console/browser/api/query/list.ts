/**
 * The query of a list: filters, search and order. The console address has the parameters of the API. Names that begin
 * with `~` belong to the console: `~q` is the search text, `~view` a stored view, `~as` the layout, `~group` the
 * field that groups the rows, `~row` the row beside the list.
 */
import { tabStorage } from '../../base/storage.ts';
import { type Collection, type Field, isYesNo, referenceOf } from '../catalogue.ts';
import { type Pair, printFilters } from './filters.ts';
import { MARKS, searchParts } from './search.ts';
import { pathOf, printName, queryText, readName } from './text.ts';
import { orderName, selectTitles } from './titles.ts';

export type { Pair };

export interface SortKey {
  readonly name: string;
  readonly isDescending: boolean;
}

export interface ListQuery {
  readonly collection: Collection;
  /** Filters as parameters of the API: `['price', 'gt.20']`, `['or', '(…)']`. */
  readonly filters: readonly Pair[];
  readonly search: string;
  readonly order: readonly SortKey[];
  /** Other parameters of the console, which a change of filters keeps. */
  readonly own?: readonly Pair[];
}

/** The list of the rows that meet these filters. */
export const listOf = (collection: Collection, filters: readonly Pair[] = []): ListQuery => ({
  collection,
  filters,
  search: '',
  order: [],
});

export const GROUP = '~group';
export const VIEW = '~view';
export const ROW = '~row';

/** Whether a field has few values: a choice, a flag, or a reference. */
export const isChoice = (collection: Collection, field: Field): boolean =>
  field.rules.oneOf !== undefined || isYesNo(field) || referenceOf(collection, field) !== undefined;

/** Fields by which a table can be grouped. */
export const groupFields = (collection: Collection): readonly Field[] =>
  collection.fields.filter((field) => field.role === 'group' || isChoice(collection, field));

/** The conditions of a filter, by its name. */
export const conditionsOn = ({ filters }: ListQuery, name: string): readonly string[] =>
  filters.flatMap(([each, condition]) => (each === name ? [condition] : []));

/** A parameter of the console. */
export const ownValue = ({ own = [] }: ListQuery, name: string): string | undefined =>
  own.find(([each]) => each === name)?.[1];

/** The query with another parameter of the console, or without it. */
export function withOwn(query: ListQuery, name: string, value: string | undefined): ListQuery {
  const own = (query.own ?? []).filter(([each]) => each !== name);
  return { ...query, own: value === undefined ? own : [...own, [name, value]] };
}

export const viewId = (query: ListQuery): string | undefined => ownValue(query, VIEW);

export function groupOf(query: ListQuery): Field | undefined {
  return groupFields(query.collection).find(({ name }) => name === ownValue(query, GROUP));
}

/** The sort key of the groups. */
export function groupOrder({ order }: ListQuery, { name }: Field): SortKey {
  return order.find((each) => each.name === name) ?? { name, isDescending: false };
}

/** Rows per request. */
export const PAGE_SIZE = 200;
/** Parameters of a list that are not filters. */
const OWN = ['order', 'select', 'limit', 'offset'];

/** Parses a console address. `search` is the part after `?`. */
export function parseQuery(collection: Collection, search: string): ListQuery {
  const pairs = [...new URLSearchParams(search)];
  const order = pairs.find(([name]) => name === 'order')?.[1] ?? '';
  const own = pairs.filter(([name]) => name.startsWith('~') && name !== '~q');
  return {
    collection,
    ...(own.length === 0 ? {} : { own }),
    filters: pairs
      .filter(([name]) => !name.startsWith('~') && !OWN.includes(name))
      .map(([name, value]): Pair => [readName(name), value]),
    search: pairs.find(([name]) => name === '~q')?.[1] ?? '',
    order: parseOrder(collection, order),
  };
}

function parseOrder(collection: Collection, text: string): readonly SortKey[] {
  const keys = [...text.matchAll(/("(?:\\.|[^"\\])*"|[^.,"]+)(\.desc)?[^,]*/g)].map(
    ([, name = '', direction]): SortKey => ({ name: readName(name), isDescending: direction !== undefined }),
  );
  return keys.filter(({ name }, at) => collection.byName.has(name) && keys.findIndex((k) => k.name === name) === at);
}

/** The console address of a list, below `/console`. */
export function listAddress(query: ListQuery): string {
  const text = addressText(query);
  return `/c${pathOf(query.collection)}${text === '' ? '' : `?${text}`}`;
}

/** The part of the address after `?`. */
export function addressText(query: ListQuery): string {
  return queryText([
    ...printNames(query),
    ...(query.order.length === 0 ? [] : [['order', orderText(query.order.map(printed))] as const]),
    ...(query.search === '' ? [] : [['~q', query.search] as const]),
    ...(query.own ?? []),
  ]);
}

const storageKey = ({ name }: Collection): string => `catalogue.list ${name}`;

/** Remembers the list of a collection that the tab shows. */
export const rememberList = (query: ListQuery): void =>
  tabStorage.set(storageKey(query.collection), listAddress(withOwn(query, ROW, undefined)));

/** The address of the last list of a collection, with its filters and order. */
export const lastList = (collection: Collection): string =>
  tabStorage.get(storageKey(collection)) ?? `/c${pathOf(collection)}`;

export function orderText(order: readonly SortKey[]): string {
  return order.map(({ name, isDescending }) => `${name}.${isDescending ? 'desc' : 'asc'}`).join(',');
}

/** The first field of the order, if the service has to sort all rows by it. */
export function unindexedOrder({ collection, order }: ListQuery): Field | undefined {
  const field = order[0] && collection.byName.get(order[0].name);
  const indexes = [collection.key, ...collection.unique.map(({ fields }) => fields)];
  return field?.indexed === false && !indexes.some(([first]) => first === field) ? field : undefined;
}

const printed = (key: SortKey): SortKey => ({ ...key, name: printName(key.name) });

/** The filters with the names of fields as the query language needs them. Other names are expressions. */
function printNames({ collection, filters }: ListQuery): readonly Pair[] {
  return filters.map(([name, value]) => [collection.byName.has(name) ? printName(name) : name, value]);
}

/** The conditions of the query, as parameters of the API. They may need `embeddingsOf` in the `select`. */
export function conditionsOf({ collection, filters, search }: ListQuery): readonly Pair[] {
  return [...printFilters(collection, filters).pairs, ...searchParts(collection, search).pairs];
}

/** Parts of `select` that the conditions need. A write cannot have them. */
export function embeddingsOf({ collection, filters, search }: ListQuery): readonly string[] {
  return [...printFilters(collection, filters).embeddings, ...searchParts(collection, search).embeddings];
}

/** The URL of these columns of the rows of a query, or of figures of them. */
export function selectUrl(query: ListQuery, columns: readonly string[], others: readonly Pair[] = []): string {
  const select: Pair = ['select', [...columns, ...embeddingsOf(query)].join(',')];
  return `${pathOf(query.collection)}?${queryText([...conditionsOf(query), select, ...others])}`;
}

/** Whether the declared search of the collection finds the rows, the best first. A write cannot have it. */
export function isRanked({ collection, search }: ListQuery): boolean {
  return collection.search !== undefined && search.trim() !== '';
}

/** The URL of a list in the API. The key completes the order, so that pages never overlap. */
export function listUrl(query: ListQuery, page: readonly Pair[] = [], isMarked = false): string {
  const { collection } = query;
  const group = groupOf(query);
  const order = query.order.filter(({ name }) => name !== group?.name);
  const missing = collection.key.filter((key) => key !== group && !order.some((each) => each.name === key.name));
  const isBestFirst = isRanked(query) && query.order.length === 0;
  const best = isBestFirst ? [{ name: 'search', isDescending: true }] : [];
  const keys = [
    ...(group === undefined ? [] : [printed(groupOrder(query, group))]),
    ...best,
    ...order.map((each) => ({ ...each, name: orderName(collection, each.name) })),
    ...missing.map(({ name }) => printed({ name, isDescending: false })),
  ];
  const marks = isMarked && isRanked(query) ? [`${printName(MARKS)}:search->highlight`] : [];
  const embeddings = [...embeddingsOf(query), ...marks];
  const select =
    embeddings.length === 0 ? selectTitles(collection) : [selectTitles(collection) ?? '*', ...embeddings].join(',');
  const text = queryText([
    ...conditionsOf(query),
    ...(select === undefined ? [] : [['select', select] as const]),
    ['order', orderText(keys)],
    ...page,
  ]);
  return `${pathOf(collection)}?${text}`;
}

export function pageUrl(query: ListQuery, page: number): string {
  const pairs: readonly Pair[] = [
    ['offset', String(page * PAGE_SIZE)],
    ['limit', String(PAGE_SIZE)],
  ];
  return listUrl(query, pairs, true);
}

/** Headers of a page. The first page counts the rows. */
export function pageHeaders(page: number): Readonly<Record<string, string>> {
  return { accept: 'application/json', 'accept-language': '*', ...(page === 0 ? { prefer: 'count=exact' } : {}) };
}
