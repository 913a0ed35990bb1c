/** Prints JSON as jsonb does: keys by length and then bytes, a space after `,` and `:`, numbers without exponent. */
import { ApiError } from '../../../base/errors.ts';
import { MAX_JSON_PADDING } from '../../../base/limits/declaration.ts';
import { MAX_JSON_DEPTH } from '../../../base/limits/http.ts';
import { parseJson, tooDeep, WrittenNumber } from '../../exact-json.ts';
import { type Exact, exactDecimal, printDecimal } from '../number/decimal-text.ts';
import { readText } from '../text.ts';

export function printJson(value: unknown): string {
  let padding = 0;
  return print(value, 1);

  function print(json: unknown, depth: number): string {
    if (typeof json === 'string') return JSON.stringify(readText(json));
    if (typeof json === 'number') return printNumber(String(json));
    if (json instanceof WrittenNumber) return printNumber(json.text);
    if (typeof json !== 'object' || json === null) return JSON.stringify(json);
    if (depth > MAX_JSON_DEPTH) throw tooDeep();
    if (Array.isArray(json)) return `[${json.map((each) => print(each, depth + 1)).join(', ')}]`;
    const members = storedKeys(json).map((key) => {
      return `${JSON.stringify(readText(key))}: ${print((json as Record<string, unknown>)[key], depth + 1)}`;
    });
    return `{${members.join(', ')}}`;
  }

  /** A few characters such as 1e999 expand to many zeros, so the expansion is bounded. */
  function printNumber(text: string): string {
    if (/^-?[1-9]\d{0,14}$/.test(text)) return text;
    const exact = exactDecimal(text)!;
    padding += zerosAround(exact);
    if (padding > MAX_JSON_PADDING) {
      throw new ApiError('22003', 'value overflows json format', {
        details: `The exponents of a value's numbers may stand for ${MAX_JSON_PADDING} zeros in all.`,
      });
    }
    return printDecimal(exact);
  }
}

/** The number of zeros that printing adds. */
function zerosAround({ digits, scale }: Exact): number {
  return Math.max(0, -scale, scale - digits.length);
}

/** In jsonb's storage order. */
export function storedKeys(object: object): readonly string[] {
  const keys = Object.keys(object);
  if (keys.length < 2) return keys;
  return keys
    .map((key) => ({ key, bytes: encoder.encode(key) }))
    .sort((one, other) => compareBytes(one.bytes, other.bytes))
    .map(({ key }) => key);
}

const encoder = new TextEncoder();

/** Shorter first. */
function compareBytes(one: Uint8Array, other: Uint8Array): number {
  if (one.length !== other.length) return one.length - other.length;
  const at = one.findIndex((byte, index) => byte !== other[index]);
  return at === -1 ? 0 : one[at]! - other[at]!;
}

export function readJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new ApiError('22P02', 'invalid input syntax for type json', { details: (error as Error).message });
  }
}
