/**
 * Stock and stock value per group. The dialect sums fields, not products of fields. The service therefore sums prices
 * per stock (or stocks per price, if that gives fewer rows), and the page multiplies.
 */
import type { Field } from '../../../collection/declaration.ts';
import { fieldWithRole } from '../shared/api/collection.ts';
import { fewRows } from './ask-few.ts';

export interface GroupSum {
  readonly group: Key;
  readonly count: number;
  readonly units: number;
  /** Absent if there are too many distinct prices and stocks. */
  readonly worth?: number;
  /** Number of flagged rows; absent if it needs another request. */
  readonly flagged?: number;
}

/** The stored value of a group. */
export type Key = number | string | boolean | null;

interface Row {
  readonly group?: Key;
  readonly count: number;
  readonly stock?: number | null;
  readonly price?: number | null;
  readonly flag?: number | boolean | null;
}

const group = fieldWithRole('group');
const price = fieldWithRole('price');
const flag = fieldWithRole('flag');

const GROUP = group === undefined ? [] : [`group:${group.name}`];

/** Largest number of distinct stocks of all groups in one answer. */
const MAX_STOCKS = 12_000;

/** Reads the sums with one request, or with two or three if there are many distinct stocks. */
export async function readSums(stock: Field): Promise<readonly GroupSum[]> {
  const priced = price === undefined ? [] : [`price:${price.name}.sum()`];
  const flagged = flag === undefined ? [] : [`flag:${flag.name}`];
  const columns = [`stock:${stock.name}`, ...flagged, 'count()', ...priced];
  const byStock = await fewRows([['select', [...GROUP, ...columns].join(',')]], MAX_STOCKS);
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

/** Reads all groups, or only the total if there are too many. */
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
