/** A file as a table: CSV by the service's own reader, or JSON as the API takes it. */

import { fieldAsWritten, withPoint } from '../../../collection/as-written.ts';
import type { Field } from '../../../collection/declaration.ts';
import { COMMA, CsvReader } from '../../../encode/csv-reader.ts';
import { fields, key } from '../shared/collection.ts';
import { messageOf } from '../shared/http.ts';

export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** Cells by column; absent where a row says nothing about it. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

export async function readTable(file: File): Promise<Table> {
  const text = decode(await file.arrayBuffer());
  const isJson = file.name.endsWith('.json') || /^\s*[[{]/.test(text);
  const rows = isJson ? readJson(file.name, text) : readCsv(text);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (rows.length === 0) throw new Error('The file holds no rows.');
  return { name: file.name, columns, rows };
}

/** A byte order mark tells what it is; without one it is UTF-8. */
function decode(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes);
  const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  const encoding = !isWide ? 'utf-8' : first === 0xff ? 'utf-16le' : 'utf-16be';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`The file is not ${encoding.toUpperCase()}. Save it as CSV UTF-8.`);
  }
}

function readJson(name: string, text: string): Table['rows'] {
  const value = parseJson(name, text);
  const rows = Array.isArray(value) ? value : [value];
  const stranger = rows.findIndex((row) => typeof row !== 'object' || row === null || Array.isArray(row));
  if (stranger !== -1) throw new Error(`Row ${stranger + 1} is not an object.`);
  return rows as Table['rows'];
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${name} is no JSON: ${messageOf(error)}`);
  }
}

function readCsv(text: string): Table['rows'] {
  const reader = new CsvReader();
  const [header, ...lines] = [...reader.push(text), ...reader.end()].map((row) => {
    if ('cells' in row) return row.cells;
    throw new Error(`Line ${row.line}: ${row.problem}.`);
  });
  if (header === undefined) throw new Error('The file is empty.');
  // Where commas divide the cells, none is left for a number.
  const hasCommas = reader.separator !== COMMA;
  const names = header.map((name) => (name ?? '').trim());
  return lines.map((cells, index) => {
    if (cells.length > names.length) throw new Error(`Row ${index + 1} has more cells than the header.`);
    const row: Record<string, unknown> = {};
    for (const [at, cell] of cells.entries()) {
      const field = fieldAsWritten(fields, names[at]!);
      const value = cell === undefined ? noValue(field) : hasCommas ? withPoint(field, cell) : cell;
      if (value !== undefined) row[field?.name ?? names[at]!] = value;
    }
    return row;
  });
}

/** Null; nothing at all where the service has something in its place: a key, or the default of a field that cannot be null. */
function noValue(field: Field | undefined): null | undefined {
  return field === key || (field?.required === true && field.default !== undefined) ? undefined : null;
}
