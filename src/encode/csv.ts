/**
 * Writes CSV as in RFC 4180, with PostgREST's line ends. Lines are written as bytes and decoded once: a string per cell
 * takes twice the time and many times the memory.
 */
import type { Row, Value } from '../collection/value.ts';

const NEWLINE = 10;
const MINUS = 45;
const QUOTE = 34;
const RETURN = 13;
const DIGIT = 48;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();
let bytes = new Uint8Array(64 * 1024);
let length = 0;

/** Options of CSV output. */
export interface CsvForm {
  /** Adds a byte order mark, by which spreadsheets recognize UTF-8. */
  readonly bom?: boolean;
  /** Escapes text that a spreadsheet would run as a formula. Such a file cannot be imported unchanged. */
  readonly noFormulas?: boolean;
  /** The character between cells, a comma by default. */
  readonly separator?: string;
  /** For each column, whether its numbers have a decimal comma. */
  readonly decimalCommas?: readonly boolean[];
}

export function csvHeader(columns: readonly string[], { noFormulas, separator = ',' }: CsvForm = {}): string {
  const cells = columns.map((name) => csvText(noFormulas === true ? harmless(name) : name, separator));
  return `${cells.join(separator)}\n`;
}

export function csvLines(rows: readonly Row[], columns: readonly string[], form: CsvForm = {}): string {
  const { noFormulas = false, separator = ',', decimalCommas } = form;
  const sign = separator.charCodeAt(0);
  length = 0;
  for (const row of rows) {
    if (length + 64 > bytes.length) grow(64);
    for (let index = 0; index < columns.length; index++) {
      // Space for the separators and for a number.
      if (length + 64 > bytes.length) grow(64);
      if (index > 0) bytes[length++] = sign;
      let value = row[columns[index]!];
      if (noFormulas && typeof value === 'string') value = harmless(value);
      if (decimalCommas?.[index] === true && value != null) value = String(value).replace('.', ',');
      writeCell(value, sign);
    }
    bytes[length++] = NEWLINE;
  }
  return decoder.decode(bytes.subarray(0, length));
}

function writeCell(value: Value | boolean | undefined, separator: number): void {
  if (value === null || value === undefined) return;
  if (typeof value === 'string') writeText(value, separator);
  else if (typeof value === 'number' && (value | 0) === value) writeWhole(value);
  else writePlain(String(value));
}

function writeWhole(value: number): void {
  let rest = value;
  if (rest < 0) {
    bytes[length++] = MINUS;
    rest = -rest;
  }
  let digits = 1;
  for (let bound = 10; rest >= bound; bound *= 10) digits++;
  for (let at = length + digits - 1; at >= length; at--) {
    const quotient = Math.trunc(rest / 10);
    bytes[at] = DIGIT + rest - quotient * 10;
    rest = quotient;
  }
  length += digits;
}

/** Writes plain characters one by one, and any other text as a whole. */
function writeText(text: string, separator: number): void {
  if (length + text.length + 64 > bytes.length) grow(text.length + 64);
  const start = length;
  let isPlain = text !== '' && text !== 'NULL';
  for (let index = 0; isPlain && index < text.length; index++) {
    const code = text.charCodeAt(index);
    isPlain = code < 128 && code !== QUOTE && code !== separator && code !== RETURN && code !== NEWLINE;
    bytes[length++] = code;
  }
  if (isPlain) return;
  length = start;
  writeEncoded(csvText(text, String.fromCharCode(separator)));
}

function writePlain(text: string): void {
  for (let index = 0; index < text.length; index++) bytes[length++] = text.charCodeAt(index);
}

function writeEncoded(text: string): void {
  // A UTF-16 unit takes at most three bytes in UTF-8.
  if (length + text.length * 3 + 64 > bytes.length) grow(text.length * 3 + 64);
  length += encoder.encodeInto(text, bytes.subarray(length)).written;
}

function grow(needed: number): void {
  const larger = new Uint8Array(Math.max(bytes.length * 2, length + needed));
  larger.set(bytes.subarray(0, length));
  bytes = larger;
}

/** Matches the first character of a formula in spreadsheets, including full-width forms and skipped characters. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Prefixes an apostrophe, which makes a cell a text: https://owasp.org/www-community/attacks/CSV_Injection. */
function harmless(text: string): string {
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

const NEEDS_QUOTES = /["\r\n]/;

/** Quotes an empty text to distinguish it from null, and a text that would be read as null. */
export function csvText(text: string, separator: string): string {
  const isPlain = text !== '' && text !== 'NULL' && !text.includes(separator) && !NEEDS_QUOTES.test(text);
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}
