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
  for (let digits = 1; digits < 9; digits++) {
    const short = nearestWith(digits, value);
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
}

/** The nearest number with so many digits; of two that are as near, the even one. JavaScript would take the larger. */
function nearestWith(digits: number, value: number): number {
  const [mantissa = '', exponent = ''] = value.toExponential(digits).split('e');
  const isHalfway = mantissa.endsWith('5') && Number(`${mantissa}e${exponent}`) === value;
  const down = mantissa.slice(0, -1);
  return isHalfway && /[02468]\.?$/.test(down) ? Number(`${down}e${exponent}`) : Number(value.toPrecision(digits));
}
