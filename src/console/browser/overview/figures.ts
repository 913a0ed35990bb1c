/**
 * The figures of the overview, from aggregates of the API, so that every answer is small. A figure that fails does not
 * affect the others.
 */
import type { Field } from '../../../collection/declaration.ts';
import { fields, fieldWithRole, labelOf } from '../shared/api/collection.ts';
import type { Chip } from '../shared/api/query.ts';
import { referenceOf } from '../shared/values/references.ts';
import { fewRows, rowsOf } from './ask-few.ts';
import type { Bar } from './bar.ts';
import { barsOf, type GroupSize, type Names, namesFor } from './groups.ts';
import { readLow } from './low.ts';
import { readPriceRanges } from './price-ranges.ts';
import { type GroupSum, type Key, readSums } from './sums.ts';

/** The parts are requested separately and shown as they arrive. */
export const PARTS = {
  count: readCount,
  sums: readSummed,
  prices: async () => (price === undefined ? [] : readPriceRanges(price)),
  low: readLow,
  counts: readCounts,
} as const;

export type PartName = keyof typeof PARTS;
/** A part is undefined if it does not apply or has not arrived. */
export type Figures = { readonly [Name in PartName]?: Awaited<ReturnType<(typeof PARTS)[Name]>> };

export interface Chart {
  readonly bars: readonly Bar[];
  /** Number of further groups. */
  readonly others: number;
}

interface StockFigures {
  readonly units?: number;
  readonly worth?: number;
  readonly worthByGroup?: Chart;
  readonly unitsByGroup?: Chart;
  readonly flagged?: FlagChart;
}

/** Row counts by a reference, a choice or a flag, if no field has the role `group`. */
export interface CountChart extends Chart {
  readonly field: Field;
}

interface FlagChart extends Chart {
  readonly count: number;
  readonly where: readonly Chip[];
}

const group = fieldWithRole('group');
const price = fieldWithRole('price');
const stock = fieldWithRole('stock');
const flag = fieldWithRole('flag');

/** Limits of these counts: number of charts, and groups per chart. */
const MAX_COUNTED = 4;
const MAX_GROUPS = 500;

async function readCount(): Promise<number> {
  const [row] = await rowsOf([['select', 'count()']]);
  return Number(row?.count ?? 0);
}

async function readSummed(): Promise<StockFigures> {
  if (stock === undefined) return withFlagged(await askFlagged());
  const sums = await readSums(stock);
  const total = (value: (row: GroupSum) => number) => sums.reduce((sum, row) => sum + value(row), 0);
  const hasWorth = price !== undefined && sums.every(({ worth }) => worth !== undefined);
  const hasFlagged = flag !== undefined && sums.every(({ flagged }) => flagged !== undefined);
  const sizes = (value: (row: GroupSum) => number) =>
    sums.map((row): GroupSize => ({ key: row.group, value: value(row) }));
  const [worth, units, flagged] = [
    sizes((row) => row.worth ?? 0),
    sizes((row) => row.units),
    sizes((row) => row.flagged ?? 0).filter(({ value }) => value > 0),
  ];
  const isGrouped = group !== undefined && (sums.length > 1 || sums[0]?.group !== null);
  const names = isGrouped ? await namesFor(group, worth, units, flagged) : new Map<Key, string>();
  return {
    ...withFlagged(hasFlagged ? flaggedOf(flagged, names) : await askFlagged()),
    units: total((row) => row.units),
    ...(hasWorth ? { worth: total((row) => row.worth ?? 0) } : {}),
    ...(isGrouped && hasWorth ? { worthByGroup: chart(group, worth, names) } : {}),
    ...(isGrouped ? { unitsByGroup: chart(group, units, names) } : {}),
  };
}

function withFlagged(flagged: FlagChart | undefined): { flagged?: FlagChart } {
  return flagged === undefined ? {} : { flagged };
}

async function askFlagged(): Promise<FlagChart | undefined> {
  if (flag === undefined) return undefined;
  const condition = [flag.name, flag.type.input === 'switch' ? 'is.true' : 'neq.0'] as const;
  const rows =
    (group && (await fewRows([['select', `group:${group.name},count()`], condition]))) ??
    (await fewRows([['select', 'count()'], condition])) ??
    [];
  const sizes = rows.map((row): GroupSize => ({ key: (row.group ?? null) as Key, value: Number(row.count) }));
  return flaggedOf(sizes, group === undefined ? new Map() : await namesFor(group, sizes));
}

function flaggedOf(sizes: readonly GroupSize[], names: Names): FlagChart {
  const isSwitch = flag!.type.input === 'switch';
  const where: Chip[] = [{ field: flag!.name, operator: isSwitch ? 'is' : 'neq', value: isSwitch ? 'true' : '0' }];
  const count = sizes.reduce((sum, { value }) => sum + value, 0);
  const byGroup = group === undefined || count === 0 ? { bars: [], others: 0 } : chart(group, sizes, names, where);
  return { count, where, ...byGroup };
}

async function readCounts(): Promise<readonly CountChart[]> {
  const counted = group === undefined ? fields.filter(isGroup).slice(0, MAX_COUNTED) : [];
  const charts = await Promise.all(
    counted.map(async (field) => {
      const rows = await fewRows([['select', `key:${field.name},count()`]], MAX_GROUPS);
      if (rows === undefined || rows.length === 0) return [];
      const sizes = rows.map((row): GroupSize => ({ key: row.key as Key, value: Number(row.count) }));
      return [{ field, ...chart(field, sizes, await namesFor(field, sizes)) }];
    }),
  );
  return charts.flat();
}

function isGroup(field: Field): boolean {
  if (field.role !== undefined) return false;
  return referenceOf(field) !== undefined || field.rules.oneOf !== undefined || field.type.input === 'switch';
}

function chart(field: Field, sizes: readonly GroupSize[], names: Names, also: readonly Chip[] = []): Chart {
  const bars = barsOf(field, sizes, names, also);
  return { bars, others: sizes.length - bars.length };
}

export function byGroup(): string {
  return group === undefined ? '' : ` by ${labelOf(group).toLowerCase()}`;
}
