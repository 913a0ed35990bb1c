/**
 * Rows as text. Pure, and known to both the engines and the response: a large result is encoded where it is read, row
 * by row, a small one where it is sent.
 */
import type { Row } from '../collection/value.ts';
import { csvHeader, csvLines } from './csv.ts';

export interface Encoding extends CsvForm {
  readonly format: 'json' | 'csv' | 'ndjson';
  readonly stripNulls: boolean;
  /** The names of the columns, in their order. */
  readonly columns: readonly string[];
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
export function encodeRows(rows: readonly Row[], encoding: Encoding): string {
  if (encoding.format === 'json') return JSON.stringify(shownRows(rows, encoding));
  return opening(encoding) + encodeChunk(rows, encoding, true) + closing(encoding);
}

/** What comes before the first row of a result that is sent in parts. */
export function opening({ format, columns, bom, noFormulas }: Encoding): string {
  if (format === 'csv') return `${bom === true ? BYTE_ORDER_MARK : ''}${csvHeader(columns, noFormulas === true)}`;
  return format === 'json' ? '[' : '';
}

/** The rows of one part. */
export function encodeChunk(rows: readonly Row[], encoding: Encoding, isFirst: boolean): string {
  const { format, columns } = encoding;
  let text = '';
  switch (format) {
    case 'csv':
      return csvLines(rows, columns, encoding.noFormulas === true);
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

export function closing({ format }: Encoding): string {
  return format === 'json' ? ']' : '';
}

export function shownRows(rows: readonly Row[], { stripNulls, columns }: Encoding): readonly Row[] {
  // Nothing selected is an empty object a row, as PostgreSQL's row of no columns.
  if (columns.length === 0) return rows.map(() => ({}));
  return stripNulls ? rows.map(withoutNulls) : rows;
}

function withoutNulls(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}
