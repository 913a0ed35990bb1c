/** Arithmetic on numbers of any length, which are texts: sums, averages, the largest and the smallest, an order. */
import type { Database } from 'bun:sqlite';
import {
  divided,
  type Exact,
  exactDecimal,
  printDecimal,
  printTrimmed,
  specialDecimal,
} from '../../collection/types/decimal-text.ts';

export function defineNumeric(db: Database): void {
  const units = (high: string, low: string) => (BigInt(high) << 32n) + BigInt(low);
  db.function('decimal_sum', (high, low, scale) =>
    high === null ? null : printTrimmed({ units: units(high, low), scale }),
  );
  db.function('decimal_avg', (high, low, scale, count) =>
    high === null ? null : printDecimal(divided({ units: units(high, low), scale }, BigInt(count))),
  );
  db.function('decimal_text', (digits, scale) =>
    digits === null ? null : printTrimmed({ units: BigInt(digits), scale }),
  );
  const sums = { start: () => new Sum(), step: (sum: Sum, text: string | null) => sum.add(text) };
  db.aggregate('numeric_sum', { ...sums, result: (sum) => sum.total() });
  db.aggregate('numeric_avg', { ...sums, result: (sum) => sum.average() });
  db.aggregate(
    'numeric_max',
    furthest((order, furthestYet) => order >= furthestYet),
  );
  db.aggregate(
    'numeric_min',
    furthest((order, furthestYet) => order <= furthestYet),
  );
  db.function('json_number', (text) => (text === null || /\d/.test(text) ? text : `"${text}"`));
  db.function('numeric_order', (text) => (text === null ? null : orderOf(text)));
  db.function('numeric_to_float', (text) => (text === null || text === 'NaN' ? text : Number(text)));
  db.function('float_to_numeric', (value, digits) =>
    typeof value === 'number' && Number.isFinite(value)
      ? printTrimmed(exactDecimal(value.toPrecision(digits))!)
      : value === null
        ? null
        : String(value),
  );
}

class Sum {
  private count = 0;
  private sum: Exact = { units: 0n, scale: 0 };
  private special: string | undefined;

  add(text: string | null): void {
    if (text === null) return;
    this.count++;
    const exact = exactDecimal(text);
    if (exact !== undefined) this.sum = added(this.sum, exact);
    else this.special = this.special === undefined || this.special === text ? text : 'NaN';
  }

  total(): string | null {
    return this.count === 0 ? null : (this.special ?? printDecimal(this.sum));
  }

  average(): string | null {
    return this.count === 0 ? null : (this.special ?? printDecimal(divided(this.sum, BigInt(this.count))));
  }
}

function added(one: Exact, other: Exact): Exact {
  const scale = Math.max(one.scale, other.scale);
  const at = ({ units, scale: own }: Exact) => (own === scale ? units : units * 10n ** BigInt(scale - own));
  return { units: at(one) + at(other), scale };
}

/** Of equal ones the last, as in PostgreSQL. */
function furthest(isFurther: (order: string, furthestYet: string) => boolean) {
  type State = { text: string | null; order: string };
  return {
    start: (): State => ({ text: null, order: '' }),
    step: (state: State, text: string | null): void => {
      if (text === null) return;
      const order = orderOf(text);
      if (state.text !== null && !isFurther(order, state.order)) return;
      state.text = text;
      state.order = order;
    },
    result: ({ text }: State) => text,
  };
}

/** Before and after all others. */
const SPECIAL_ORDERS = { '-Infinity': '0', Infinity: '4', NaN: '5' };
/** What makes every exponent a number of six digits. */
const EXPONENT_FROM = 500_000;

/** A text by which numbers are ordered as texts are, code by code: the sign, the exponent, the digits. */
function orderOf(text: string): string {
  const exact = exactDecimal(text);
  if (exact === undefined) return SPECIAL_ORDERS[specialDecimal(text)!];
  const { units, scale } = exact;
  if (units === 0n) return '2';
  const digits = String(units < 0n ? -units : units);
  const order = `${EXPONENT_FROM + digits.length - scale}${digits.replace(/0+$/, '')}`;
  // Below zero the larger comes first, digit by digit, and what has further digits comes before what has none.
  return units > 0n ? `3${order}` : `1${order.replace(/\d/g, (digit) => String(9 - Number(digit)))}~`;
}
