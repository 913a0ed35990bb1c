/** Exact sums, averages and operations: of integer units summed in halves, and of numbers of any length as text. */
import type { Database } from 'bun:sqlite';
import { memoizeText } from '../../../base/memo.ts';
import type { Field } from '../../../collection/declaration.ts';
import { builtIn } from '../../../collection/types/index.ts';
import {
  type Exact,
  exactDecimal,
  exactUnits,
  printDecimal,
  printTrimmed,
  rounded,
} from '../../../collection/types/number/decimal-text.ts';
import type { Operation } from '../../../collection/types/operations.ts';
import { checkLength, withLocation } from '../../../plan/coerce.ts';
import type { SetResult } from '../../../plan/write-plan.ts';
import { quoteText } from '../../sql/statement.ts';
import { storedForm, valueIn } from './stored-values.ts';

export function defineNumeric(db: Database): void {
  const sumOf = (high: string, low: string, scale: number) => exactUnits((BigInt(high) << 32n) + BigInt(low), scale);
  db.function('decimal_sum', (high, low, scale) => (high === null ? null : printTrimmed(sumOf(high, low, scale))));
  // Uses the unprinted sum, since trailing zeros affect the digits of the average.
  db.function('decimal_avg', (high, low, scale, count) =>
    high === null ? null : printDecimal(divided(sumOf(high, low, scale), BigInt(count))),
  );
  const sums = { start: () => new Sum(), step: (sum: Sum, text: string | null) => sum.add(text) };
  db.aggregate('numeric_sum', { ...sums, result: (sum) => sum.total() });
  db.aggregate('numeric_avg', { ...sums, result: (sum) => sum.average() });
}

class Sum {
  private count = 0;
  private units = 0n;
  private scale = 0;
  private special: string | undefined;

  add(text: string | null): void {
    if (text === null) return;
    this.count++;
    const exact = exactDecimal(text);
    if (exact === undefined) {
      this.special = this.special === undefined || this.special === text ? text : 'NaN';
      return;
    }
    if (exact.scale > this.scale) {
      this.units *= 10n ** BigInt(exact.scale - this.scale);
      this.scale = exact.scale;
    }
    this.units += rounded(exact, this.scale);
  }

  total(): string | null {
    return this.count === 0 ? null : (this.special ?? printDecimal(exactUnits(this.units, this.scale)));
  }

  average(): string | null {
    if (this.count === 0) return null;
    return this.special ?? printDecimal(divided(exactUnits(this.units, this.scale), BigInt(this.count)));
  }
}

/** PostgreSQL's numeric division, used for averages: at least 16 significant digits, in groups of four. */
const MIN_SIGNIFICANT = 16;
const GROUP = 4;

function divided(sum: Exact, count: bigint): Exact {
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

interface Described extends Pick<Field, 'name' | 'maxBytes'>, Pick<Operation, 'operation' | 'round'> {
  readonly type: string;
}

export function operatedSql(column: string, { field, operation, round }: SetResult, operand: string): string {
  const { name, maxBytes, type } = field;
  const described: Described = {
    name,
    maxBytes,
    type: type.name,
    operation,
    ...(round === undefined ? {} : { round }),
  };
  return `operated(${quoteText(JSON.stringify(described))}, ${column}, ${operand})`;
}

const readDescription = memoizeText((text) => {
  const { type: name, ...described } = JSON.parse(text) as Described;
  const type = builtIn(name);
  return { ...described, type, operations: type.operations!, operandType: builtIn(type.operations!.operandType) };
});

export function defineOperated(db: Database): void {
  db.function('operated', { deterministic: true, safeIntegers: true }, (text, stored, operand) => {
    const { type, operations, operandType, ...described } = readDescription(text);
    const current = stored ?? (described.operation === 'append' ? operations.startsFrom : null) ?? null;
    if (current === null) return null;
    try {
      const operation = { ...described, operand: valueIn(operandType, operand) };
      const result = operations.apply(valueIn(type, current), operation);
      if (typeof result === 'string') checkLength(described, result);
      return storedForm(type, result);
    } catch (error) {
      throw withLocation(error, undefined, described);
    }
  });
}
