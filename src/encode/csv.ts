/** Writes CSV as in RFC 4180, with PostgREST's line ends. */
import type { Row } from '../collection/value.ts';

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
  /** Whether line endings are only between lines, as in PostgREST. */
  readonly isUnended?: boolean;
}

export function csvHeader(
  columns: readonly string[],
  { noFormulas, separator = ',', isUnended }: CsvForm = {},
): string {
  const cells = columns.map((name) => csvText(noFormulas === true ? harmless(name) : name, separator));
  return cells.join(separator) + (isUnended === true ? '' : '\n');
}

/** Joins all cells of a line at once: an export with a text for every two cells takes 40 MB and 10 % more CPU time. */
export function csvLines(rows: readonly Row[], columns: readonly string[], form: CsvForm = {}): string {
  const { noFormulas = false, separator = ',', decimalCommas, isUnended = false } = form;
  const cell = (given: Row[string] | undefined, index: number) => {
    if (given === null || given === undefined) return '';
    const value = noFormulas && typeof given === 'string' ? harmless(given) : given;
    if (decimalCommas?.[index] === true) return csvText(String(value).replace('.', ','), separator);
    return typeof value === 'string' ? csvText(value, separator) : value;
  };
  const [start, end] = isUnended ? ['\n', ''] : ['', '\n'];
  const line = (row: Row) => columns.map((name, index) => cell(row[name], index)).join(separator);
  return rows.map((row) => `${start}${line(row)}${end}`).join('');
}

/** Matches the first character of a formula in spreadsheets, including full-width forms and skipped characters. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Prefixes an apostrophe, which makes a cell a text: https://owasp.org/www-community/attacks/CSV_Injection. */
export function harmless(text: string): string {
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

const NEEDS_QUOTES = /["\r\n]/;

/** Quotes an empty text to distinguish it from null, and a text that would be read as null. */
export function csvText(text: string, separator: string): string {
  const isPlain = text !== '' && text !== 'NULL' && !text.includes(separator) && !NEEDS_QUOTES.test(text);
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}
