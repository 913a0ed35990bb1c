/**
 * Incremental CSV parser (RFC 4180) for bodies, files and the console. An empty cell means no value, `""` an empty
 * text, an unquoted NULL null. It accepts every kind of line end and skips empty lines.
 */

/** Undefined for an empty cell. */
export type Cell = string | null | undefined;

export type CsvRow =
  | { readonly line: number; readonly cells: readonly Cell[] }
  | { readonly line: number; readonly problem: keyof typeof CSV_PROBLEMS; readonly text: string };

export const CSV_PROBLEMS = {
  unclosedQuote: 'a quote is not closed',
  textAfterQuote: 'text follows a closing quote',
} as const;

export const COMMA = ',';
const QUOTE = '"';
const QUOTE_CODE = 34;
const FEED = 10;
const RETURN = 13;

/** A line without quotes. A return at the end of a chunk may be half of a line end. */
const LINE = /([^"\r\n]*)(?:\r\n|\n|\r(?!$))/y;
const LAST_LINE = /([^"\r\n]*)(?:\r\n?|\n|$)/y;

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
    const { rest: text, separator } = this;
    const plain = isLast ? LAST_LINE : LINE;
    let position = 0;
    while (position < text.length) {
      plain.lastIndex = position;
      const line = plain.exec(text)?.[1];
      if (line !== undefined) {
        if (line !== '') rows.push({ line: this.line, cells: plainCells(line, separator) });
        this.line++;
        position = plain.lastIndex;
        continue;
      }
      const row = readQuoted(text, position, separator, isLast);
      if (row === undefined) break;
      const { cells, problem, end } = row;
      if (problem === undefined) rows.push({ line: this.line, cells });
      else rows.push({ line: this.line, problem, text: text.slice(position, end) });
      const next = end + (text.startsWith('\r\n', end) ? 2 : 1);
      this.line += lineEndsIn(text.slice(position, next));
      position = next;
    }
    this.rest = text.slice(position);
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
  readonly problem?: keyof typeof CSV_PROBLEMS;
  readonly end: number;
}

/** Reads a row with quoted cells; undefined if the row is incomplete. */
function readQuoted(text: string, start: number, separator: string, isLast: boolean): QuotedRow | undefined {
  const cells: Cell[] = [];
  for (let position = start; ; position++) {
    if (text[position] === QUOTE) {
      const close = closingQuote(text, position);
      if (close === undefined) return isLast ? { cells, problem: 'unclosedQuote', end: text.length } : undefined;
      cells.push(undoubled(text.slice(position + 1, close)));
      position = close + 1;
    } else {
      const cell = position;
      while (text[position] !== separator && !isLineEnd(text, position)) position++;
      cells.push(plainCell(text.slice(cell, position)));
    }
    if (text[position] === separator) continue;
    let end = position;
    while (!isLineEnd(text, end)) end++;
    if (!isLast && (end >= text.length || (end === text.length - 1 && text[end] === '\r'))) return undefined;
    return end === position ? { cells, end } : { cells, problem: 'textAfterQuote', end };
  }
}

function isLineEnd(text: string, position: number): boolean {
  const code = text.charCodeAt(position);
  return code === FEED || code === RETURN || position >= text.length;
}

/** The end of a quoted cell, in which quotes are doubled; undefined if the quote is not closed. */
function closingQuote(text: string, quote: number): number | undefined {
  for (let from = quote + 1; ; ) {
    const close = text.indexOf(QUOTE, from);
    if (close === -1) return undefined;
    if (text[close + 1] !== QUOTE) return close;
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
