/**
 * The overview's figures, from the API's own aggregates. The dialect sums fields, not products of fields: so stock is
 * summed for each price in each group, and only the multiplication is done here.
 */
import { collectionName, fieldWith, labelOf, type Record_ } from '../shared/collection.ts';
import { ask } from '../shared/http.ts';
import { type Chip, queryText } from '../shared/query.ts';
import type { Bar } from './bar.ts';
import { priceRanges } from './price-ranges.ts';

export interface Figures {
  readonly count: number;
  readonly stockValue: number;
  readonly units: number;
  readonly valueByGroup: readonly Bar[];
  readonly unitsByGroup: readonly Bar[];
  readonly prices: readonly Bar[];
  readonly flagged: { readonly count: number; readonly where: readonly Chip[]; readonly byGroup: readonly Bar[] };
  readonly low: { readonly count: number; readonly where: readonly Chip[]; readonly rows: readonly Record_[] };
}

type Sums = {
  readonly group: number | null;
  readonly price: number | null;
  readonly count: number;
  readonly stock: number | null;
};

const group = fieldWith('group');
const price = fieldWith('price');
const stock = fieldWith('stock');
const flag = fieldWith('flag');
const threshold = fieldWith('threshold');

/** Rows that are shown of what is running low. */
const LOW_ROWS = 8;
/** Different thresholds in one request: each takes two of the 500 conditions that one may hold. */
const MAX_THRESHOLDS = 200;

export async function readFigures(): Promise<Figures> {
  const [sums, flagged, low] = await Promise.all([readSums(), readFlagged(), readLow()]);
  const total = (value: (row: Sums) => number, rows = sums) => rows.reduce((sum, row) => sum + value(row), 0);
  const worthOf = (row: Sums) => (row.price ?? 0) * (row.stock ?? 0);
  const unitsOf = (row: Sums) => row.stock ?? 0;
  const byGroup = (value: (row: Sums) => number): Bar[] =>
    groupsOf(sums)
      .map((each) => ({
        ...barOf(each),
        value: total(
          value,
          sums.filter((row) => row.group === each),
        ),
      }))
      .sort((one, other) => other.value - one.value);
  return {
    count: total((row) => row.count),
    stockValue: total(worthOf),
    units: total(unitsOf),
    valueByGroup: group && price && stock ? byGroup(worthOf) : [],
    unitsByGroup: group && stock ? byGroup(unitsOf) : [],
    prices: price ? priceRanges(price.name, sums) : [],
    flagged,
    low,
  };
}

async function readSums(): Promise<readonly Sums[]> {
  const columns = [
    ...(group ? [`group:${group.name}`] : []),
    ...(price ? [`price:${price.name}`] : []),
    'count()',
    ...(stock ? [`stock:${stock.name}.sum()`] : []),
  ];
  const rows = (await rowsOf([['select', columns.join(',')]])) as unknown as Partial<Sums>[];
  return rows.map((row) => ({ group: null, price: null, count: 0, stock: null, ...row }));
}

async function readFlagged(): Promise<Figures['flagged']> {
  if (flag === undefined) return { count: 0, where: [], byGroup: [] };
  const where: Chip[] = [{ field: flag.name, operator: 'neq', value: '0' }];
  const columns = group ? `group:${group.name},count()` : 'count()';
  const rows = (await rowsOf([
    ['select', columns],
    [flag.name, 'neq.0'],
  ])) as unknown as Sums[];
  const byGroup = rows.map((row) => {
    const bar = barOf(row.group ?? null);
    return { ...bar, value: row.count, where: [...bar.where, ...where] };
  });
  const count = rows.reduce((sum, row) => sum + row.count, 0);
  return { count, where, byGroup: group ? byGroup.sort((one, other) => other.value - one.value) : [] };
}

/** Two fields cannot be compared with each other, but each threshold there is can be compared with its stock. */
async function readLow(): Promise<Figures['low']> {
  if (stock === undefined || threshold === undefined) return { count: 0, where: [], rows: [] };
  const levels = (await rowsOf([
    ['select', `level:${threshold.name},count()`],
    [threshold.name, 'gt.0'],
    ['limit', String(MAX_THRESHOLDS)],
  ])) as unknown as { level: number }[];
  if (levels.length === 0) return { count: 0, where: [], rows: [] };
  const terms = levels.map(({ level }) => `and(${threshold.name}.eq.${level},${stock.name}.lt.${level})`);
  const condition = ['or', `(${terms.join(',')})`] as const;
  const where: Chip[] = [{ raw: condition, label: `${labelOf(stock)} below ${labelOf(threshold).toLowerCase()}` }];
  const query = [condition, ['order', `${stock.name}.asc`], ['limit', String(LOW_ROWS)]] as const;
  const answer = await ask(`/${collectionName}?${queryText(query)}`, { headers: { prefer: 'count=exact' } });
  const count = Number(answer.headers.get('content-range')?.split('/')[1] ?? 0);
  return { count, where, rows: answer.json as Record_[] };
}

async function rowsOf(pairs: Parameters<typeof queryText>[0]): Promise<Record_[]> {
  return (await ask(`/${collectionName}?${queryText(pairs)}`)).json as Record_[];
}

function groupsOf(sums: readonly Sums[]): readonly (number | null)[] {
  return [...new Set(sums.map((row) => row.group))];
}

function barOf(value: number | null): Pick<Bar, 'label' | 'where'> {
  if (group === undefined) return { label: '', where: [] };
  if (value === null) {
    return {
      label: `No ${labelOf(group).toLowerCase()}`,
      where: [{ field: group.name, operator: 'is', value: 'null' }],
    };
  }
  return { label: `${labelOf(group)} ${value}`, where: [{ field: group.name, operator: 'eq', value: String(value) }] };
}
