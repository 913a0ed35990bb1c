/** json: PostgreSQL's jsonb, kept as the text that it prints: keys by length, then by their bytes, a space after , and :. */
import { Refusal } from '../../errors.ts';
import { MAX_JSON_DEPTH } from '../../limits.ts';
import { WrittenNumber } from '../written-number.ts';
import { exactDecimal, printDecimal } from './decimal-text.ts';
import { readText } from './text.ts';
import { defineType } from './type.ts';

/** A value that JSON.parse or a body gave, as jsonb prints it. */
export function printJson(value: unknown, depth = 1): string {
  if (typeof value === 'string') return JSON.stringify(readText(value));
  if (typeof value === 'number') return printNumber(String(value));
  if (value instanceof WrittenNumber) return printNumber(value.text);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (depth > MAX_JSON_DEPTH) throw new Refusal('54000', `a value may nest ${MAX_JSON_DEPTH} deep`);
  if (Array.isArray(value)) return `[${value.map((each) => printJson(each, depth + 1)).join(', ')}]`;
  const members = Object.keys(value)
    .map((key) => ({ key, bytes: encoder.encode(readText(key)) }))
    .sort((one, other) => compareBytes(one.bytes, other.bytes))
    .map(({ key }) => `${JSON.stringify(key)}: ${printJson((value as Record<string, unknown>)[key], depth + 1)}`);
  return `{${members.join(', ')}}`;
}

const encoder = new TextEncoder();

/** The shorter first. */
function compareBytes(one: Uint8Array, other: Uint8Array): number {
  if (one.length !== other.length) return one.length - other.length;
  const at = one.findIndex((byte, index) => byte !== other[index]);
  return at === -1 ? 0 : one[at]! - other[at]!;
}

function printNumber(text: string): string {
  return printDecimal(exactDecimal(text)!);
}

export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text, (_key, value, context?: { source?: string }) =>
      typeof value === 'number' && context?.source !== undefined ? new WrittenNumber(context.source) : value,
    );
  } catch (error) {
    throw new Refusal('22P02', 'invalid input syntax for type json', { details: (error as Error).message });
  }
}

const read = (text: string): string => printJson(parseJsonText(text));

export const json = defineType({
  name: 'json',
  kind: 'json',
  title: 'jsonb',
  abilities: ['json'],
  read,
  store: read,
  storeJson: printJson,
  casts: ['json', 'int2', 'int4', 'int8', 'decimal', 'numeric', 'float4', 'float8', 'boolean'],
  aggregates: {},
  sqlite: { column: 'text', json: (sql) => `json(${sql})`, text: (sql) => sql },
  postgres: { name: 'jsonb', json: (sql) => sql, text: (sql) => `(${sql})::text` },
  schema: {},
  typescript: 'Json',
  input: 'json',
});
