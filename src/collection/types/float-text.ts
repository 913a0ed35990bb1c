/** Floats as PostgreSQL prints them: the fewest digits that are still the same number, and an exponent where it would be long. */
import { exactDecimal, printTrimmed } from './decimal-text.ts';

/** `digits` is from which power of ten on there is an exponent. */
export function floatText(value: number, digits: number): string {
  if (!Number.isFinite(value)) return String(value);
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < digits) return printTrimmed(exactDecimal(`${mantissa}e${power}`)!);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** Of a float4: the double with the fewest digits that rounds to it. */
export function shortestFloat4(value: number): number {
  for (let digits = 1; digits < 10; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}
