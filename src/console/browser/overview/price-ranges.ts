/** Prices in ranges that people would choose: 1, 2, 5, 10, 20, 50 and so on, as far as the prices reach. */
import type { Bar } from './bar.ts';

interface Priced {
  readonly price: number | null;
  readonly count: number;
}

export function priceRanges(field: string, rows: readonly Priced[]): readonly Bar[] {
  const priced = rows.filter((row): row is { price: number; count: number } => row.price !== null);
  if (priced.length === 0) return [];
  const bounds = boundsFor(priced.map(({ price }) => price));
  const ranges = [undefined, ...bounds].map((from, index) => ({ from, to: bounds[index] }));
  const bars = ranges.map(({ from, to }) => ({
    label: from === undefined ? `under ${to}` : to === undefined ? `${from} and more` : `${from}–${to}`,
    value: priced
      .filter(({ price }) => (from === undefined || price >= from) && (to === undefined || price < to))
      .reduce((sum, { count }) => sum + count, 0),
    where: [
      ...(from === undefined ? [] : [{ field, operator: 'gte' as const, value: String(from) }]),
      ...(to === undefined ? [] : [{ field, operator: 'lt' as const, value: String(to) }]),
    ],
  }));
  return trimmed(bars);
}

function boundsFor(prices: readonly number[]): readonly number[] {
  const positive = prices.filter((price) => price > 0);
  const least = Math.max(Math.min(...positive, 1e8), 0.01);
  const most = Math.max(...positive, 1);
  const bounds: number[] = [];
  for (let power = Math.floor(Math.log10(least)); power <= Math.ceil(Math.log10(most)); power++) {
    for (const step of [1, 2, 5]) {
      const bound = Number((step * 10 ** power).toPrecision(1));
      if (bound > least && bound <= most) bounds.push(bound);
    }
  }
  return bounds.length === 0 ? [Math.ceil(most)] : bounds;
}

/** Empty ranges in the middle tell something; at the ends they do not. */
function trimmed(bars: readonly Bar[]): readonly Bar[] {
  const first = bars.findIndex(({ value }) => value > 0);
  const last = bars.findLastIndex(({ value }) => value > 0);
  return bars.slice(first, last + 1);
}
