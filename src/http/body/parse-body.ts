/** Parses a body by its content type. Limits are checked first; long bodies are parsed in slices. */
import { amount } from '../../base/amount.ts';
import { BYTES_PER_SLICE, type Task } from '../../base/cooperative.ts';
import { ApiError } from '../../base/errors.ts';
import { MAX_ROW_VALUES } from '../../base/limits/http.ts';
import { splitQuery } from '../../base/net/query-string.ts';
import { isObject, parseJson } from '../../collection/exact-json.ts';
import { type Cell, COMMA, CSV_PROBLEMS, CsvReader, type CsvRow } from '../../encode/csv-reader.ts';
import type { Document } from '../../encode/document.ts';
import type { Call } from '../call.ts';
import type { BodyReceiver } from './body-receiver.ts';
import { BodyCount, JsonScan } from './json-scan.ts';

export function* readDocument(bytes: Uint8Array, contentTypeHeader: string | null): Task<Document> {
  const [contentType = '', ...parameters] = (contentTypeHeader ?? 'application/json')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  checkCharset(parameters.find((parameter) => parameter.startsWith('charset=')));
  const read = Object.hasOwn(READERS, contentType) ? READERS[contentType] : undefined;
  if (read === undefined) {
    throw new ApiError('PGRST102', `Content-Type not acceptable: ${contentType}`, {
      hint: `Send one of: ${Object.keys(READERS).join(', ')}.`,
    });
  }
  return yield* read(bytes);
}

const READERS: Readonly<Record<string, (bytes: Uint8Array) => Task<Document>>> = {
  'application/json': readJson,
  'application/merge-patch+json': readJson,
  'application/vnd.pgrst.array+json': readJson,
  'application/vnd.pgrst.object+json': readJson,
  'text/csv': readCsv,
  'application/x-www-form-urlencoded': readForm,
};

export const BODY_TYPES: readonly string[] = Object.keys(READERS);

function* readJson(bytes: Uint8Array): Task<Document> {
  const scan = new JsonScan(bytes);
  for (scan.advance(); !scan.isDone; scan.advance()) yield;
  if (scan.cuts.length === 0) return { kind: 'json', value: parsed(decodeText(bytes)) };
  if (!scan.isClosed) throw invalidJson('The list does not end where the body does.');
  const value: unknown[] = [];
  const ends = [...scan.cuts, scan.listEnd];
  for (const [index, end] of ends.entries()) {
    yield;
    const start = (index === 0 ? scan.listStart : ends[index - 1]!) + 1;
    const part = parsed(`[${decodeText(bytes.subarray(start, end))}]`) as unknown[];
    if (part.length === 0) throw invalidJson('A value is missing beside a comma.');
    for (const each of part) value.push(each);
  }
  return { kind: 'json', value };
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw invalidJson(text.trim() === '' ? 'The body is empty.' : (error as Error).message);
  }
}

function invalidJson(details: string): ApiError {
  return new ApiError('PGRST102', 'Empty or invalid json', {
    details,
    hint: 'Send valid JSON, as in {"name": "value"}.',
  });
}

/** `curl -d` labels any body as a form. */
// biome-ignore lint/correctness/useYield: a form is one row, and read at once.
function* readForm(bytes: Uint8Array): Task<Document> {
  const text = decodeText(bytes);
  if (/^\s*[[{]/.test(text)) {
    throw new ApiError('PGRST102', 'the body is JSON, and its Content-Type says that it is a form', {
      hint: "Send the header Content-Type: application/json, with curl by -H 'Content-Type: application/json'.",
    });
  }
  const count = new BodyCount(1);
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) count.value();
  return { kind: 'json', value: Object.fromEntries(splitQuery(text, MAX_ROW_VALUES)) };
}

function* readCsv(bytes: Uint8Array): Task<Document> {
  const ends = [...(yield* scanCsv(bytes)), bytes.length];
  const reader = new CsvReader(COMMA);
  const lines: (readonly Cell[])[] = [];
  for (const [index, end] of ends.entries()) {
    if (index > 0) yield;
    addCells(lines, reader.push(decodeText(bytes.subarray(ends[index - 1] ?? 0, end))));
  }
  addCells(lines, reader.end());
  const [header, ...rows] = lines;
  if (header === undefined) {
    throw new ApiError('PGRST102', 'the CSV is empty', { hint: 'Begin with a line that names the fields.' });
  }
  const uneven = rows.findIndex((row) => row.length !== header.length);
  if (uneven !== -1) {
    const { length } = rows[uneven]!;
    throw new ApiError('PGRST102', 'All lines must have same number of fields', {
      details: `The header has ${amount(header.length, 'cell')}, row ${uneven + 1} has ${length}.`,
      hint:
        header.length === 1 && /[;\t]/.test(header[0] ?? '')
          ? 'Separate cells by commas. catalogue import and the console also read files with semicolons or tabs.'
          : 'Quote a cell that holds a comma or a line end, and leave an empty cell for no value.',
    });
  }
  return { kind: 'table', header: header.map((cell) => (cell === null ? 'NULL' : (cell ?? ''))), rows };
}

function addCells(lines: (readonly Cell[])[], rows: readonly CsvRow[]): void {
  for (const row of rows) {
    if ('problem' in row) {
      throw new ApiError('PGRST102', `the CSV cannot be read: row ${lines.length + 1}: ${CSV_PROBLEMS[row.problem]}`, {
        hint: 'Quote a cell that holds a comma, a quote or a line end, and double the quotes in it.',
      });
    }
    lines.push(row.cells);
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

export function decodeText(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new ApiError('22021', 'invalid byte sequence for encoding "UTF8"', { hint: 'Send the body as UTF-8.' });
  }
}

function checkCharset(parameter: string | undefined): void {
  const charset = parameter?.slice('charset='.length).replaceAll('"', '');
  if (charset === undefined || charset === 'utf-8' || charset === 'utf8' || charset === 'us-ascii') return;
  throw new ApiError('CAT415', `the charset ${charset} is not supported`, { hint: 'Send the body as UTF-8.' });
}

/** Scans a CSV body: counts rows and cells, and finds line ends at which it can be split. */
const QUOTE = 34;
const SEPARATOR = 44;
const NEWLINE = 10;
const RETURN = 13;

/** Returns the positions after line ends at which slices end. */
function* scanCsv(bytes: Uint8Array): Task<number[]> {
  const cuts: number[] = [];
  // The header line is not a row.
  const count = new BodyCount(-1);
  let inQuotes = false;
  /** Whether a following quote opens a quoted text: at the start of a cell, or as a doubled quote. */
  let mayBegin = true;
  for (let at = 0; at < bytes.length; ) {
    if (at > 0) yield;
    const end = Math.min(bytes.length, at + BYTES_PER_SLICE);
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (inQuotes) {
        inQuotes = byte !== QUOTE;
        mayBegin = true;
        continue;
      }
      if (byte === QUOTE) inQuotes = mayBegin;
      else if (byte === SEPARATOR) count.value();
      else if (byte === NEWLINE || (byte === RETURN && bytes[at + 1] !== NEWLINE)) {
        count.value();
        count.row();
        if (at + 1 - (cuts.at(-1) ?? 0) >= BYTES_PER_SLICE) cuts.push(at + 1);
      }
      mayBegin = byte === SEPARATOR || byte === NEWLINE || byte === RETURN;
    }
  }
  return cuts;
}

/** `form` describes the object. An error does not repeat the body, which may contain a password. */
export async function objectIn(
  bodies: BodyReceiver,
  call: Call,
  form: string,
  hint?: string,
): Promise<Readonly<Record<string, unknown>>> {
  const body = await bodies.receive(call);
  try {
    for (const scan = new JsonScan(body.bytes); !scan.isDone; ) scan.advance();
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body.bytes));
    if (isObject(value)) return value;
  } catch (error) {
    // Too deep, for example. Invalid JSON is rejected below.
    if (error instanceof ApiError) throw error;
  } finally {
    body.release();
  }
  throw new ApiError('PGRST102', `the body must be ${form}`, { hint });
}
