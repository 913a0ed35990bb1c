/**
 * JSON without loss of digits. A number that JavaScript would print differently keeps its text for PostgreSQL's
 * parsers: 7.0 is not an integer, and an int8 has more digits than a double.
 */
import { ApiError } from '../base/errors.ts';
import { MAX_JSON_DEPTH } from '../base/limits/http.ts';

/** A number with the digits of the input. */
export class WrittenNumber {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }

  /** The same digits in JSON again. */
  toJSON(): unknown {
    return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(this.text);
  }
}

/** Matches numbers that JavaScript would print differently: 7.0, 1e2, 0.0000001, or too many digits. */
const REWRITTEN_NUMBER = /\d\.\d*0(?![\d.])|\d[eE]|\.0{6}|[\d.]{16}/;

export function parseJson(text: string): unknown {
  if (!REWRITTEN_NUMBER.test(text)) return JSON.parse(text);
  return JSON.parse(text, asWritten);
}

function asWritten(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined && source !== String(value)
    ? new WrittenNumber(source)
    : value;
}

/** Whether a value of JSON is an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof WrittenNumber);
}

/** Prints JSON as PostgreSQL does: with a space after each comma and colon. */
export function jsonText(value: unknown, depth = 1): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (value instanceof WrittenNumber) return value.text;
  if (depth > MAX_JSON_DEPTH) throw tooDeep();
  if (Array.isArray(value)) return `[${value.map((each) => jsonText(each, depth + 1)).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, each]) => `${JSON.stringify(key)}: ${jsonText(each, depth + 1)}`)
    .join(', ')}}`;
}

export function tooDeep(): ApiError {
  return new ApiError('54000', `a value may nest ${MAX_JSON_DEPTH} deep`);
}
