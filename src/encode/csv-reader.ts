/**
 * Incremental CSV parser (RFC 4180) for bodies, files and the console. An empty cell means no value, `""` an empty
 * text, an unquoted NULL null. It accepts every kind of line end and skips empty lines.
 */
import { CsvScanner, NOWHERE, QUOTE, QUOTE_CODE } from './csv-scanner.ts';

/** Undefined for an empty cell. */
export type Cell = string | null | undefined;

export type CsvRow =
  | { readonly line: number; readonly cells: readonly Cell[] }
  | { readonly line: number; readonly problem: string; readonly text: string };

export const COMMA = ',';
const FEED = 10;
const RETURN = 13;

export class CsvReader {
  private rest = '';
  private hasBegun = false;
  /** The line number of the next row. */
  line = 1;

  /** Without a separator, the first line determines it: `sep=;`, or the character between the column names. */
  constructor(private given?: string) {}

  get separator(): string {
    return this.given ?? COMMA;
  }

  /** Returns the rows that are complete with this chunk. */
  push(text: string): CsvRow[] {
    this.rest = this.rest === '' ? text : this.rest + text;
    return this.read(false);
  }

  end(): CsvRow[] {
    return this.read(true);
  }

  /** The length of the text that is not a complete row yet. */
  get pending(): number {
    return this.rest.length;
  }

  /** Whether a quoted cell of the pending text has not ended: a quote inside a cell is doubled. */
  get hasOpenQuote(): boolean {
    return (this.rest.split(QUOTE).length - 1) % 2 === 1;
  }

  private read(isLast: boolean): CsvRow[] {
    const rows: CsvRow[] = [];
    this.hasBegun ||= this.begin(isLast);
    if (!this.hasBegun) return rows;
    const { separator } = this;
    const text = new CsvScanner(this.rest, separator, isLast);
    let position = 0;
    while (position < text.length) {
      const end = text.lineEnd(position);
      if (text.quote(position) > end) {
        if (end === NOWHERE) break;
        if (end > position) {
          rows.push({ line: this.line, cells: plainCells(text.slice(position, end), separator) });
        }
        this.line++;
        position = text.afterLineEnd(end);
        continue;
      }
      const row = readQuoted(text, position);
      if (row === undefined) break;
      if (row.problem === undefined) rows.push({ line: this.line, cells: row.cells });
      else rows.push({ line: this.line, problem: row.problem, text: text.slice(position, row.end) });
      const next = text.afterLineEnd(row.end);
      this.line += lineEndsIn(text.slice(position, next));
      position = next;
    }
    this.rest = position === 0 ? this.rest : this.rest.slice(position);
    return rows;
  }

  /** Determines the separator as soon as the first line is complete. */
  private begin(isLast: boolean): boolean {
    const first = FIRST_LINE.exec(this.rest);
    if (first === null || (!isLast && first[0].length === this.rest.length)) return isLast;
    const [upTo, line = ''] = first;
    const separator = NAMED_SEPARATOR.exec(line)?.[1];
    this.given ??= separator ?? separatorIn(line);
    if (separator !== undefined) {
      this.line += lineEndsIn(upTo);
      this.rest = this.rest.slice(upTo.length);
    }
    return true;
  }
}

interface QuotedRow {
  readonly cells: Cell[];
  readonly problem?: string;
  readonly end: number;
}

/** Reads a row with quoted cells; undefined if the row is incomplete. */
function readQuoted(text: CsvScanner, start: number): QuotedRow | undefined {
  const cells: Cell[] = [];
  for (let position = start; ; position++) {
    if (text.isQuote(position)) {
      const cell = quotedCell(text, position);
      if (cell === undefined) return text.isLast ? { cells, problem: UNCLOSED, end: text.length } : undefined;
      cells.push(cell.value);
      position = cell.end;
    } else {
      const end = Math.min(text.separator(position), text.lineEnd(position));
      if (end === NOWHERE) return undefined;
      cells.push(plainCell(text.slice(position, end)));
      position = end;
    }
    const end = text.lineEnd(position);
    if (end === position) return { cells, end };
    if (text.separator(position) === position) continue;
    if (end === NOWHERE) return undefined;
    return { cells, problem: 'text follows a closing quote', end };
  }
}

export const UNCLOSED = 'a quote is not closed';

/** Reads a quoted cell. Returns undefined if the quote is not closed. */
function quotedCell(text: CsvScanner, quote: number): { value: string; end: number } | undefined {
  for (let from = quote + 1; ; ) {
    // Adjacent quotes need no search.
    const close = text.isQuote(from) ? from : text.quote(from);
    if (close === NOWHERE) return undefined;
    if (!text.isQuote(close + 1)) {
      return { value: undoubled(text.slice(quote + 1, close)), end: close + 1 };
    }
    from = close + 2;
  }
}

/** Longer texts are copied: a replacement costs as much as some hundred characters. */
const LONG_LENGTH = 64 * 1024;
const UTF16 = new TextDecoder('utf-16le', { ignoreBOM: true });

function undoubled(text: string): string {
  if (!text.includes('""')) return text;
  if (text.length <= LONG_LENGTH) return text.replaceAll('""', QUOTE);
  const codes = new Uint16Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    codes[length++] = code;
    if (code === QUOTE_CODE) at++;
  }
  return UTF16.decode(codes.subarray(0, length));
}

const FIRST_LINE = /^[\r\n]*([^\r\n]+)(?:\r\n?|\n)?/;
const NAMED_SEPARATOR = /^"?sep=([^"])"?$/i;
const QUOTED = /"[^"]*(?:"|$)/g;

/** The separator that a reader takes from the first line. */
export function separatorIn(firstLine: string): string {
  const names = firstLine.replace(QUOTED, '');
  return [COMMA, ';', '\t'].find((each) => names.includes(each)) ?? COMMA;
}

function plainCells(line: string, separator: string): Cell[] {
  const cells = line.split(separator) as Cell[];
  for (let at = 0; at < cells.length; at++) {
    const cell = cells[at];
    if (cell === '') cells[at] = undefined;
    else if (cell === 'NULL') cells[at] = null;
  }
  return cells;
}

function plainCell(cell: string): Cell {
  return cell === '' ? undefined : cell === 'NULL' ? null : cell;
}

function lineEndsIn(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === FEED || (code === RETURN && text.charCodeAt(at + 1) !== FEED)) count++;
  }
  return count;
}
