/** A file as a table: CSV by the service's own reader, or JSON as the API takes it. */
import { parseCsv } from '../../../http/csv.ts';
import { fieldNamed, key } from '../shared/collection.ts';
import { messageOf } from '../shared/http.ts';

export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** Cells by column; absent where a row says nothing about it. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

export async function readTable(file: File): Promise<Table> {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer()).replace(/^\uFEFF/, '');
  const isJson = file.name.endsWith('.json') || /^\s*[[{]/.test(text);
  const rows = isJson ? readJson(file.name, text) : readCsv(text);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (rows.length === 0) throw new Error('The file holds no rows.');
  return { name: file.name, columns, rows };
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
  const [header, ...lines] = parseCsv(text);
  if (header === undefined) throw new Error('The file is empty.');
  return lines.map((cells, index) => {
    if (cells.length > header.length) throw new Error(`Row ${index + 1} has more cells than the header.`);
    const row: Record<string, unknown> = {};
    for (const [at, cell] of cells.entries()) {
      const name = header[at] ?? '';
      const value = cellValue(name, cell);
      if (value !== undefined) row[name] = value;
    }
    return row;
  });
}

/** An empty cell is no value: the default where there is one, otherwise null. */
function cellValue(name: string, cell: string | null): string | null | undefined {
  if (cell !== null && cell !== '') return cell;
  const field = fieldNamed(name);
  return field === key || field?.default !== undefined ? undefined : null;
}
