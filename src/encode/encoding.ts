/**
 * Rows as text. Pure, and known to both the engines and the response: a large result is encoded where it is read, row
 * by row, a small one where it is sent.
 */
import type { Row } from '../collection/value.ts';
import { csvHeader, csvLines } from './csv.ts';

export interface Encoding {
  readonly format: 'json' | 'csv' | 'ndjson';
  readonly stripNulls: boolean;
  /** The one row of the result as an object, in place of a list; of JSON alone. */
  readonly singular?: boolean;
  /** The names of the columns, in their order. */
  readonly columns: readonly string[];
  /** Those of them that are numbers of any length, as texts; what JSON has no number for stays a text. */
  readonly numbers?: readonly string[];
}

/** A whole result at once. */
export function encodeRows(rows: readonly Row[], encoding: Encoding): string {
  if (encoding.format !== 'json') return opening(encoding) + encodeChunk(rows, encoding, true) + closing(encoding);
  const list = JSON.stringify(shownRows(rows, encoding));
  return encoding.singular === true ? list.slice(1, -1) : list;
}

/** What comes before the first row of a result that is sent in parts. */
export function opening({ format, singular, columns }: Encoding): string {
  if (format === 'json') return singular === true ? '' : '[';
  return format === 'csv' ? csvHeader(columns) : '';
}

/** The rows of one part. */
export function encodeChunk(rows: readonly Row[], encoding: Encoding, isFirst: boolean): string {
  const { format, columns } = encoding;
  let text = '';
  switch (format) {
    case 'csv':
      return csvLines(rows, columns);
    case 'ndjson':
      for (const row of shownRows(rows, encoding)) text += `${JSON.stringify(row)}\n`;
      return text;
    case 'json': {
      if (rows.length === 0) return '';
      const list = JSON.stringify(shownRows(rows, encoding));
      return `${isFirst ? '' : ','}${list.slice(1, -1)}`;
    }
  }
}

export function closing({ format, singular }: Encoding): string {
  return format === 'json' && singular !== true ? ']' : '';
}

function shownRows(rows: readonly Row[], { stripNulls, columns, numbers = [] }: Encoding): readonly Row[] {
  // Nothing selected is an empty object a row, as PostgreSQL's row of no columns.
  if (columns.length === 0) return rows.map(() => ({}));
  const shown = numbers.length === 0 ? rows : rows.map((row) => withNumbers(row, numbers));
  return stripNulls ? shown.map(withoutNulls) : shown;
}

function withNumbers(row: Row, names: readonly string[]): Row {
  return { ...row, ...Object.fromEntries(names.map((name) => [name, asNumber(row[name]!)])) };
}

/** The digits as they are (ECMA-262, JSON.rawJSON); NaN and infinity are texts, as PostgreSQL writes them. */
function asNumber(value: Row[string]): Row[string] {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return typeof value === 'string' && /^-?\d/.test(value) ? rawJson(value) : value;
}

/** Not among TypeScript's declarations yet. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON: (text: string) => string };

function withoutNulls(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}
