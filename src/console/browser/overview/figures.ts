/** Loads the figures of the overview from aggregates of the service, so that every answer is small. */
import { type Collection, type Field, labelOf, type Row, referenceOf, type Value } from '../api/catalogue.ts';
import { ask } from '../api/client.ts';
import { readTitles } from '../api/query/find-rows.ts';
import type { Pair } from '../api/query/list.ts';
import { equals, pathOf, printName, queryText } from '../api/query/text.ts';
import { queryClient } from '../api/query-client.ts';
import { formatValue, kindOf } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';

interface Bar {
  readonly label: string;
  readonly value: number;
  readonly filters: readonly Pair[];
}

/** A number, or the bars of a chart. Undefined if small answers do not suffice. */
export type Figure =
  | { readonly value: number; readonly filters: readonly Pair[] }
  | { readonly bars: readonly Bar[]; readonly hasMore: boolean };

const MAX_BARS = 10;
/** Largest number of groups that the page adds up itself. */
const MAX_GROUPS = 5_000;
/** Largest number of groups of a chart whose values are read one after the other. */
const MAX_CHARTED_GROUPS = 100;
/** Thresholds in a link: each takes two of the 500 conditions of a request. */
const MAX_THRESHOLDS = 200;

/** Some figures that load at the same time need the same rows: one request reads them. */
function read(collection: Collection, pairs: readonly Pair[]): Promise<readonly Row[]> {
  const url = `${pathOf(collection)}?${queryText(pairs)}`;
  const queryFn = async () => (await ask(url)).json as readonly Row[];
  return queryClient.fetchQuery({ queryKey: ['figures', collection.name, url], queryFn, staleTime: 0 });
}

/** The number of rows, or the sum or average of a field. */
export async function aggregate(collection: Collection, by: 'count' | 'sum' | 'avg', field?: Field): Promise<Figure> {
  const of = field === undefined ? '' : `${printName(field.name)}.`;
  const [row] = await read(collection, [['select', `value:${of}${by}()`]]);
  return { value: Number(row?.value ?? 0), filters: [] };
}

/** The largest groups by the number of rows, or by the sum of a field. */
export async function groupRows(collection: Collection, group: Field, summed?: Field): Promise<Figure> {
  const value = summed === undefined ? 'value:count()' : `value:${printName(summed.name)}.sum()`;
  const rows = await read(collection, [
    ['select', `key:${printName(group.name)},${value}`],
    ['order', 'value.desc.nullslast'],
    ['limit', String(MAX_BARS + 1)],
  ]);
  return barsOf(
    collection,
    group,
    rows.map((row) => [row.key ?? null, Number(row.value ?? 0)]),
  );
}

/** The fields that the stock and its value are computed from. */
export interface Stock {
  readonly price: Field;
  readonly stock: Field;
  /** Figures of the whole and of groups come from one request. */
  readonly group: Field | undefined;
  readonly filters?: readonly Pair[];
}

/**
 * The value of the stock: the sum of price times stock. The query language does not multiply fields, so the service
 * sums the prices of each stock, and the page multiplies.
 */
export async function stockValue(collection: Collection, of: Stock, isGrouped: boolean): Promise<Figure | undefined> {
  const { price, stock, group, filters } = of;
  let rows = await readStock(collection, stock, price, group, filters);
  // There may be fewer prices than stocks, and too many groups of either.
  if (rows === undefined) rows = await readStock(collection, price, stock, group, filters);
  if (rows !== undefined) return addUp(collection, isGrouped ? group : undefined, rows, 'value');
  if (group === undefined) return undefined;
  const whole = isGrouped ? undefined : await stockValue(collection, { ...of, group: undefined }, false);
  return whole ?? valueOfEachGroup(collection, { ...of, group }, isGrouped);
}

/** With too many pairs for one answer, each group has an answer of its own. */
async function valueOfEachGroup(
  collection: Collection,
  { price, stock, group }: Stock & { readonly group: Field },
  isGrouped: boolean,
): Promise<Figure | undefined> {
  const name = printName(group.name);
  const limit = String(MAX_CHARTED_GROUPS + 1);
  const groups = await read(collection, [
    ['select', `key:${name},rows:count()`],
    ['limit', limit],
  ]);
  if (groups.length > MAX_CHARTED_GROUPS) return undefined;
  const sizes: (readonly [Value, number])[] = [];
  for (const { key = null } of groups) {
    const part: Stock = { price, stock, group: undefined, filters: [[name, equals(key)]] };
    const figure = await stockValue(collection, part, false);
    if (figure === undefined || !('value' in figure)) return undefined;
    sizes.push([key, figure.value]);
  }
  sizes.sort(([, one], [, other]) => other - one);
  if (isGrouped) return barsOf(collection, group, sizes);
  return { value: sizes.reduce((sum, [, value]) => sum + value, 0), filters: [] };
}

/** The number of rows or the stock, of all or of each group, from the request of the stock value. */
export async function countStock(
  collection: Collection,
  { price, stock, group }: Stock,
  by: Field | undefined,
  figure: 'rows' | 'stock',
): Promise<Figure | undefined> {
  const rows = await readStock(collection, stock, price, group);
  return rows && addUp(collection, by, rows, figure);
}

/** Undefined if the page would have to add up too many rows. */
async function readStock(
  collection: Collection,
  by: Field,
  summed: Field,
  group: Field | undefined,
  filters: readonly Pair[] = [],
): Promise<readonly Row[] | undefined> {
  const grouped = group === undefined ? '' : `key:${printName(group.name)},`;
  const rows = await read(collection, [
    ['select', `${grouped}factor:${printName(by.name)},sum:${printName(summed.name)}.sum(),count:count()`],
    ...filters,
    ['limit', String(MAX_GROUPS + 1)],
  ]);
  return rows.length > MAX_GROUPS ? undefined : rows;
}

/** The amount that a row of the request adds to a figure. */
const ADDENDS = {
  value: ({ factor, sum }: Row) => Number(factor ?? 0) * Number(sum ?? 0),
  stock: ({ factor, count }: Row) => Number(factor ?? 0) * Number(count),
  rows: ({ count }: Row) => Number(count),
};

/** A figure of all rows, or of each group. */
function addUp(
  collection: Collection,
  group: Field | undefined,
  rows: readonly Row[],
  figure: keyof typeof ADDENDS,
): Promise<Figure> | Figure {
  const values = new Map<Value, number>();
  for (const row of rows) {
    const key = group === undefined ? null : (row.key ?? null);
    values.set(key, (values.get(key) ?? 0) + ADDENDS[figure](row));
  }
  if (group === undefined) return { value: values.get(null) ?? 0, filters: [] };
  const largest = [...values].sort(([, one], [, other]) => other - one);
  return barsOf(collection, group, largest);
}

/** Rows whose stock is below their threshold. The service counts the rows per pair of threshold and stock. */
export async function lowRows(collection: Collection, stock: Field, threshold: Field): Promise<Figure | undefined> {
  const pairs = await read(collection, [
    ['select', `level:${printName(threshold.name)},stock:${printName(stock.name)},value:count()`],
    [printName(threshold.name), 'gt.0'],
    ['limit', String(MAX_GROUPS + 1)],
  ]);
  if (pairs.length > MAX_GROUPS) return undefined;
  const low = pairs.filter(({ level, stock: units }) => units !== null && Number(units) < Number(level));
  const levels = [...new Set(low.map(({ level }) => level))];
  const terms = levels.map(
    (level) => `and(${printName(threshold.name)}.eq.${level},${printName(stock.name)}.lt.${level})`,
  );
  const filters: Pair[] = levels.length > 0 && levels.length <= MAX_THRESHOLDS ? [['or', `(${terms.join(',')})`]] : [];
  return { value: low.reduce((sum, row) => sum + Number(row.value), 0), filters };
}

async function barsOf(
  collection: Collection,
  group: Field,
  sizes: readonly (readonly [Value, number])[],
): Promise<Figure> {
  const shown = sizes.slice(0, MAX_BARS);
  const other = referenceOf(collection, group);
  const keys = shown.flatMap(([key]) => (key === null ? [] : [String(key)]));
  if (other !== undefined && keys.length > 0) await readTitles(other, keys);
  const bars = shown.map(([key, value]) => ({
    label: nameOf(collection, group, key),
    value,
    filters: [[group.name, equals(key)] as const],
  }));
  return { bars, hasMore: sizes.length > shown.length };
}

/** The name of a group for people: the title of the referenced row, Yes and No, or the value. */
function nameOf(collection: Collection, field: Field, key: Value): string {
  if (key === null) return t.app.empty;
  const place = { collection, field };
  const text = formatValue(place, key);
  return kindOf(place).name === 'number' ? `${labelOf(field)} ${text}` : text;
}
