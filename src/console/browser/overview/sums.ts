/**
 * Stock and its value, group by group. The dialect sums fields, not products of fields: so prices are summed for each number
 * in stock (or the other way round, where there are fewer prices), and only the multiplication is done here.
 */
import type { Field } from '../../../collection/declaration.ts';
import { fieldWith } from '../shared/collection.ts';
import { fewRows } from './ask-few.ts';

export interface GroupSum {
  readonly group: Key;
  readonly count: number;
  readonly units: number;
  /** Absent where there are too many different prices and stocks to multiply them here. */
  readonly worth?: number;
  /** How many are flagged; absent where that has to be asked for. */
  readonly flagged?: number;
}

/** What a group is called in the data. */
export type Key = number | string | boolean | null;

interface Row {
  readonly group?: Key;
  readonly count: number;
  readonly stock?: number | null;
  readonly price?: number | null;
  readonly flag?: number | boolean | null;
}

const group = fieldWith('group');
const price = fieldWith('price');
const flag = fieldWith('flag');

const GROUP = group === undefined ? [] : [`group:${group.name}`];

/** Different stocks of all groups together that one answer may have. */
const MOST_STOCKS = 12_000;

/** One answer where there are few enough different stocks in each group; two or three where there are more. */
export async function readSums(stock: Field): Promise<readonly GroupSum[]> {
  const priced = price === undefined ? [] : [`price:${price.name}.sum()`];
  const flagged = flag === undefined ? [] : [`flag:${flag.name}`];
  const columns = [`stock:${stock.name}`, ...flagged, 'count()', ...priced];
  const byStock = await fewRows([['select', [...GROUP, ...columns].join(',')]], MOST_STOCKS);
  if (byStock !== undefined) {
    return added(byStock as unknown as Row[], (row) => ({
      units: (row.stock ?? 0) * row.count,
      ...(flag === undefined ? {} : { flagged: row.flag ? row.count : 0 }),
      ...(price === undefined ? {} : { worth: (row.stock ?? 0) * (row.price ?? 0) }),
    }));
  }
  const units = `stock:${stock.name}.sum()`;
  const byPrice = price && (await fewRows([['select', [...GROUP, `price:${price.name}`, 'count()', units].join(',')]]));
  if (byPrice !== undefined) {
    return added(byPrice as unknown as Row[], (row) => ({
      units: row.stock ?? 0,
      worth: (row.stock ?? 0) * (row.price ?? 0),
    }));
  }
  return added(await all([...GROUP, 'count()', units]), (row) => ({ units: row.stock ?? 0 }));
}

/** With more groups than can be shown, only the whole is left to tell. */
async function all(columns: readonly string[]): Promise<readonly Row[]> {
  const rows =
    (await fewRows([['select', columns.join(',')]])) ??
    (await fewRows([['select', columns.filter((each) => !GROUP.includes(each)).join(',')]]));
  return (rows ?? []) as unknown as Row[];
}

function added(rows: readonly Row[], of: (row: Row) => Partial<GroupSum>): readonly GroupSum[] {
  const sums = new Map<Key, GroupSum>();
  for (const row of rows) {
    const key = row.group ?? null;
    const { units = 0, worth, flagged } = of(row);
    const before = sums.get(key) ?? { group: key, count: 0, units: 0 };
    sums.set(key, {
      ...before,
      count: before.count + row.count,
      units: before.units + units,
      ...(worth === undefined ? {} : { worth: (before.worth ?? 0) + worth }),
      ...(flagged === undefined ? {} : { flagged: (before.flagged ?? 0) + flagged }),
    });
  }
  return [...sums.values()];
}
