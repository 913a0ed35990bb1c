/**
 * The overview's figures, from the API's own aggregates and counts: every answer is small, whatever the catalogue holds. A figure
 * that cannot be had does not take the others with it.
 */
import type { Field } from '../../../collection/declaration.ts';
import { fields, fieldWith, labelOf } from '../shared/collection.ts';
import type { Chip } from '../shared/query.ts';
import { referenceOf } from '../shared/references.ts';
import { fewRows, rowsOf } from './ask-few.ts';
import type { Bar } from './bar.ts';
import { barsOf, type Sized } from './groups.ts';
import { readLow } from './low.ts';
import { readPriceRanges } from './price-ranges.ts';
import { type GroupSum, type Key, readSums } from './sums.ts';

/** Each part is asked for by itself, and shown as soon as it is there. */
export const PARTS = {
  count: readCount,
  sums: readSummed,
  prices: async () => (price === undefined ? [] : readPriceRanges(price)),
  flagged: readFlagged,
  low: readLow,
  counts: readCounts,
} as const;

export type PartName = keyof typeof PARTS;
/** Undefined where a part is not there, or not yet. */
export type Figures = { readonly [Name in PartName]?: Awaited<ReturnType<(typeof PARTS)[Name]>> };

export interface Chart {
  readonly bars: readonly Bar[];
  /** Groups beyond those. */
  readonly others: number;
}

interface Summed {
  readonly units: number;
  readonly worth?: number;
  readonly worthByGroup?: Chart;
  readonly unitsByGroup?: Chart;
}

/** How many rows there are of each reference, choice or flag, where no field says what the groups are. */
export interface Counted extends Chart {
  readonly field: Field;
}

interface Flagged extends Chart {
  readonly count: number;
  readonly where: readonly Chip[];
}

const group = fieldWith('group');
const price = fieldWith('price');
const stock = fieldWith('stock');
const flag = fieldWith('flag');

/** Charts of a collection that says nothing about its groups, and groups that one of them may have. */
const MOST_COUNTED = 4;
const MOST_GROUPS = 500;

async function readCount(): Promise<number> {
  const [row] = await rowsOf([['select', 'count()']]);
  return Number(row?.count ?? 0);
}

async function readSummed(): Promise<Summed | undefined> {
  if (stock === undefined) return undefined;
  const sums = await readSums(stock);
  const total = (value: (row: GroupSum) => number) => sums.reduce((sum, row) => sum + value(row), 0);
  const hasWorth = price !== undefined && sums.every(({ worth }) => worth !== undefined);
  const isGrouped = group !== undefined && (sums.length > 1 || sums[0]?.group !== null);
  const byGroup = (value: (row: GroupSum) => number) =>
    chart(
      group!,
      sums.map((row) => ({ key: row.group, value: value(row) })),
    );
  return {
    units: total(({ units }) => units),
    ...(hasWorth ? { worth: total(({ worth = 0 }) => worth) } : {}),
    ...(isGrouped && hasWorth ? { worthByGroup: await byGroup(({ worth = 0 }) => worth) } : {}),
    ...(isGrouped ? { unitsByGroup: await byGroup(({ units }) => units) } : {}),
  };
}

async function readFlagged(): Promise<Flagged | undefined> {
  if (flag === undefined) return undefined;
  const isSwitch = flag.type.input === 'switch';
  const where: Chip[] = [
    isSwitch ? { field: flag.name, operator: 'is', value: 'true' } : { field: flag.name, operator: 'neq', value: '0' },
  ];
  const condition = [flag.name, isSwitch ? 'is.true' : 'neq.0'] as const;
  const rows =
    (group && (await fewRows([['select', `group:${group.name},count()`], condition]))) ??
    (await fewRows([['select', 'count()'], condition])) ??
    [];
  const sizes = rows.map((row): Sized => ({ key: (row.group ?? null) as Key, value: Number(row.count) }));
  const count = sizes.reduce((sum, { value }) => sum + value, 0);
  const byGroup = group === undefined || count === 0 ? { bars: [], others: 0 } : await chart(group, sizes, where);
  return { count, where, ...byGroup };
}

async function readCounts(): Promise<readonly Counted[]> {
  const counted = group === undefined ? fields.filter(isGroup).slice(0, MOST_COUNTED) : [];
  const charts = await Promise.all(
    counted.map(async (field) => {
      const rows = await fewRows([['select', `key:${field.name},count()`]], MOST_GROUPS);
      if (rows === undefined || rows.length === 0) return [];
      const sizes = rows.map((row): Sized => ({ key: row.key as Key, value: Number(row.count) }));
      return [{ field, ...(await chart(field, sizes)) }];
    }),
  );
  return charts.flat();
}

function isGroup(field: Field): boolean {
  if (field.role !== undefined) return false;
  return referenceOf(field) !== undefined || field.rules.oneOf !== undefined || field.type.input === 'switch';
}

async function chart(field: Field, sizes: readonly Sized[], also: readonly Chip[] = []): Promise<Chart> {
  const bars = await barsOf(field, sizes, also);
  return { bars, others: sizes.length - bars.length };
}

export function byGroup(): string {
  return group === undefined ? '' : ` by ${labelOf(group).toLowerCase()}`;
}
