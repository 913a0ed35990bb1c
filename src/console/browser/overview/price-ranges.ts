/** Price ranges with round bounds: 1, 2, 5, 10, 20, 50 and so on. The service counts the rows. */
import type { Field } from '../../../collection/declaration.ts';
import { rowsOf } from './ask-few.ts';
import type { Bar } from './bar.ts';

/** With more ranges than this, each range is a power of ten. */
const MAX_RANGES = 24;
const MAX_BARS = 8;

export async function readPriceRanges({ name }: Field): Promise<readonly Bar[]> {
  const [least, most] = await Promise.all([
    outermost(name, [
      [name, 'gt.0'],
      ['order', `${name}.asc`],
    ]),
    outermost(name, [
      [name, 'not.is.null'],
      ['order', `${name}.desc`],
    ]),
  ]);
  if (most === undefined) return [];
  const bounds = boundsFor(Math.max(least ?? 1, 0.01), Math.max(most, 1));
  const ranges = await Promise.all(
    [undefined, ...bounds].map(async (from, index): Promise<Range> => {
      const to = bounds[index];
      return { from, to, count: await countBetween(name, from, to) };
    }),
  );
  return mergeSparse(trimEmpty(ranges)).map(({ from, to, count }) => ({
    label: from === undefined ? `under ${to}` : to === undefined ? `${from} and more` : `${from}–${to}`,
    value: count,
    where: [
      ...(from === undefined ? [] : [{ field: name, operator: 'gte' as const, value: String(from) }]),
      ...(to === undefined ? [] : [{ field: name, operator: 'lt' as const, value: String(to) }]),
    ],
  }));
}

interface Range {
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly count: number;
}

async function outermost(name: string, pairs: Parameters<typeof rowsOf>[0]): Promise<number | undefined> {
  const [row] = await rowsOf([['select', `price:${name}`], ...pairs, ['limit', '1']]);
  return row === undefined ? undefined : Number(row.price);
}

async function countBetween(name: string, from: number | undefined, to: number | undefined): Promise<number> {
  const [row] = await rowsOf([
    ['select', 'count()'],
    ...(from === undefined ? [] : [[name, `gte.${from}`] as const]),
    ...(to === undefined ? [] : [[name, `lt.${to}`] as const]),
  ]);
  return Number(row?.count ?? 0);
}

function boundsFor(least: number, most: number): readonly number[] {
  const powers = Array.from(
    { length: Math.ceil(Math.log10(most)) - Math.floor(Math.log10(least)) + 1 },
    (_, index) => Math.floor(Math.log10(least)) + index,
  );
  const steps = powers.length * 3 > MAX_RANGES ? [1] : [1, 2, 5];
  const bounds = powers
    .flatMap((power) => steps.map((step) => Number((step * 10 ** power).toPrecision(1))))
    .filter((bound) => bound > least && bound <= most);
  return bounds.length === 0 ? [Math.ceil(most)] : bounds;
}

/** Removes empty ranges at both ends. Empty ranges between others stay. */
function trimEmpty(ranges: readonly Range[]): readonly Range[] {
  const first = ranges.findIndex(({ count }) => count > 0);
  const last = ranges.findLastIndex(({ count }) => count > 0);
  return first === -1 ? [] : ranges.slice(first, last + 1);
}

/** Merges sparse ranges at the lower end if there are many ranges. */
function mergeSparse(ranges: readonly Range[]): readonly Range[] {
  const few = ranges.reduce((sum, { count }) => sum + count, 0) / 50;
  let rest = ranges;
  while (rest.length > MAX_BARS && rest[0]!.count < few) {
    const [first, second, ...others] = rest as [Range, Range, ...Range[]];
    rest = [{ from: undefined, to: second.to, count: first.count + second.count }, ...others];
  }
  return rest;
}
