/** PostgreSQL's numeric division, used for averages: at least 16 significant digits, in groups of four. */
import { type Exact, exactUnits } from './decimal-text.ts';

const MIN_SIGNIFICANT = 16;
const GROUP = 4;

export function divided(sum: Exact, count: bigint): Exact {
  const [weight, first] = leading(sum);
  const [countWeight, countFirst] = leading(exactUnits(count, 0));
  const quotientWeight = weight - countWeight - (first <= countFirst ? 1 : 0);
  const scale = Math.max(MIN_SIGNIFICANT - quotientWeight * GROUP, sum.scale, 0);
  const dividend = BigInt(sum.digits) * 10n ** BigInt(Math.max(0, scale - sum.scale));
  const nearest = (dividend * 2n + count) / (count * 2n);
  return exactUnits(sum.negative ? -nearest : nearest, scale);
}

/** The position and value of the first non-zero group of four digits. */
function leading({ digits, scale }: Exact): [weight: number, first: number] {
  if (digits === '0') return [0, 0];
  // The position of the leading digit: 0 for the units, -1 for the first decimal.
  const position = digits.length - 1 - scale;
  const weight = Math.floor(position / GROUP);
  const inGroup = position - weight * GROUP + 1;
  return [weight, Number(digits.slice(0, inGroup).padEnd(inGroup, '0'))];
}
