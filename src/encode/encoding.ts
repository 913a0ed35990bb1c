/**
 * Rows as text. Pure: a large result is encoded where it is read, part by part, a small one at once. A row comes from the
 * database in one of three forms: plain values by their names, JSON text, or the text forms of its cells.
 */
import type { Row } from '../collection/value.ts';
import { csvHeader, csvLines } from './csv.ts';

export interface Encoding extends CsvForm {
  readonly format: 'json' | 'csv' | 'ndjson';
  readonly stripNulls: boolean;
  /** The one row of the result as an object, in place of a list; of JSON alone. */
  readonly singular?: boolean;
  /** The names of the columns, in their order. */
  readonly columns: readonly string[];
}

/** A number stands for a row that is known by it. */
export type RowForm = 'plain' | 'json' | 'text' | 'number';

/** The one column of a row that is JSON text, or a number. */
export const ROW = 'row';

/** A cell of a row that will be CSV: its own name may be any text. */
export function cellName(index: number): string {
  return `cell ${index}`;
}

/** What CSV may have beside its rows. */
export interface CsvForm {
  /** A byte order mark, by which spreadsheets know UTF-8. */
  readonly bom?: boolean;
  /** No text that a spreadsheet would run as a formula. Such a file does not come back as it was. */
  readonly noFormulas?: boolean;
}

const BYTE_ORDER_MARK = '\uFEFF';

/** A whole result at once. */
export function encodeRows(rows: readonly Row[], encoding: Encoding, form: RowForm): string {
  const { format, singular = false } = encoding;
  if (format === 'json' && form === 'plain' && !singular) return JSON.stringify(shownRows(rows, encoding));
  return opening(encoding) + encodeChunk(rows, encoding, form, true) + closing(encoding);
}

/** What comes before the first row of a result that is sent in parts. */
export function opening({ format, singular = false, columns, bom, noFormulas }: Encoding): string {
  if (format === 'json') return singular ? '' : '[';
  if (format !== 'csv') return '';
  return `${bom === true ? BYTE_ORDER_MARK : ''}${csvHeader(columns, noFormulas === true)}`;
}

/** The rows of one part. */
export function encodeChunk(rows: readonly Row[], encoding: Encoding, form: RowForm, isFirst: boolean): string {
  if (rows.length === 0) return '';
  const { format, columns } = encoding;
  if (format === 'csv')
    return csvLines(
      rows,
      columns.map((_, index) => cellName(index)),
      encoding.noFormulas === true,
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
  // Nothing selected is an empty object a row, as PostgreSQL's row of no columns.
  if (columns.length === 0) return rows.map(() => ({}));
  return stripNulls ? rows.map(withoutNulls) : rows;
}

function withoutNulls(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}
