/** CSV as RFC 4180 has it, but for line ends, which are PostgREST's. */
import type { Row, Value } from '../collection/value.ts';

export function csvHeader(columns: readonly string[]): string {
  return `${columns.map(csvCell).join(',')}\n`;
}

export function csvLine(row: Row, columns: readonly string[]): string {
  let line = '';
  for (let index = 0; index < columns.length; index++) {
    if (index > 0) line += ',';
    line += csvCell(row[columns[index]!]);
  }
  return `${line}\n`;
}

const NEEDS_QUOTES = /[",\r\n]/;

function csvCell(value: Value | boolean | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  // An empty text is quoted, so that it can be told from null, and so is a text that would be read as null.
  return value === '' || value === 'NULL' || NEEDS_QUOTES.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
