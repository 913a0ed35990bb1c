/**
 * Encodes rows as text. Pure functions: a large result is encoded in chunks where it is read, a small one at once. The
 * database returns a row as plain values by name, as JSON text, or as the text forms of its cells.
 */
import { PART_LENGTH } from '../base/limits/engine.ts';
import type { Row } from '../collection/value.ts';
import { type CsvForm, csvHeader, csvLines } from './csv.ts';

export interface Encoding extends CsvForm {
  readonly format: 'json' | 'csv' | 'ndjson';
  readonly stripNulls: boolean;
  /** Returns the only row as an object instead of a list. JSON only. */
  readonly singular?: boolean;
  /** Each row is the bare value of its only column. JSON only. */
  readonly bare?: boolean;
  /** Column names in order. */
  readonly columns: readonly string[];
}

/** `number`: the row number of a cached row. */
export type RowForm = 'plain' | 'json' | 'text' | 'number';

/** The only column of a row that is JSON text or a row number. */
export const ROW = 'row';

/** The name of a CSV cell in the statement, since its own name may be any text. */
export function cellName(index: number): string {
  return `cell ${index}`;
}

const BYTE_ORDER_MARK = '\uFEFF';

/** Encodes a whole result. */
export function encodeRows(rows: readonly Row[], encoding: Encoding, form: RowForm): string {
  const { format, singular = false } = encoding;
  if (format === 'json' && form === 'plain' && !singular) return JSON.stringify(shownRows(rows, encoding));
  return opening(encoding) + encodeChunk(rows, encoding, form, true) + closing(encoding);
}

/** The text before the first row of a streamed result. */
export function opening(encoding: Encoding): string {
  const { format, singular = false, columns, bom } = encoding;
  if (format === 'json') return singular ? '' : '[';
  if (format !== 'csv') return '';
  return `${bom === true ? BYTE_ORDER_MARK : ''}${csvHeader(columns, encoding)}`;
}

/** Encodes the rows of one chunk. */
export function encodeChunk(rows: readonly Row[], encoding: Encoding, form: RowForm, isFirst: boolean): string {
  if (rows.length === 0) return '';
  const { format, columns } = encoding;
  if (format === 'csv')
    return csvLines(
      rows,
      columns.map((_, index) => cellName(index)),
      encoding,
    );
  if (format === 'ndjson') return `${rowTexts(rows, encoding, form).join('\n')}\n`;
  const comma = isFirst ? '' : ',';
  if (form === 'plain') return `${comma}${JSON.stringify(shownRows(rows, encoding)).slice(1, -1)}`;
  return `${comma}${rowTexts(rows, encoding, form).join(',')}`;
}

export function closing({ format, singular = false }: Encoding): string {
  return format === 'json' && !singular ? ']' : '';
}

function rowTexts(rows: readonly Row[], encoding: Encoding, form: RowForm): string[] {
  if (form === 'json') return rows.map((row) => row[ROW] as string);
  return shownRows(rows, encoding).map((row) => JSON.stringify(row));
}

function shownRows(rows: readonly Row[], { stripNulls, columns }: Encoding): readonly Row[] {
  // A row without columns is an empty object, as in PostgreSQL.
  if (columns.length === 0) return rows.map(() => ({}));
  return stripNulls ? rows.map(withoutNulls) : rows;
}

function withoutNulls(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

const LONGEST_PART = 4 * PART_LENGTH;

/** The first chunk of a text, because unsent text stays in memory. It never splits a character. */
export function firstPart(text: string): string {
  if (text.length <= LONGEST_PART) return text;
  const isHalf = (text.charCodeAt(LONGEST_PART - 1) & 0xfc00) === 0xd800;
  return text.slice(0, isHalf ? LONGEST_PART - 1 : LONGEST_PART);
}
