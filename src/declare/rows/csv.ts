/**
 * CSV, row by row (RFC 4180). The first row names the columns. An empty cell gives nothing, "" is an empty text, and an
 * unquoted NULL is null: what an export writes comes back as it was. Cells are divided by what the caller, a line sep=; or
 * else the first row tells: spreadsheets use semicolons where a comma is in numbers, and tabs.
 */
import { type FileRecord, lineEndsIn, MAX_ROW_LENGTH, type RecordReader, unreadable } from './record.ts';

type Cells = (string | null | undefined)[];

export class CsvReader implements RecordReader {
  private rest = '';
  private line = 1;
  private header: readonly string[] | undefined;
  private hasBegun = false;

  /** Without a delimiter, the file tells. */
  constructor(private given?: string) {}

  get delimiter(): string {
    return this.given ?? COMMA;
  }

  push(text: string): FileRecord[] {
    this.rest = this.rest === '' ? text : this.rest + text;
    return this.read(false);
  }

  end(): FileRecord[] {
    const records = this.read(true);
    if (this.header === undefined) throw unreadable(1, 'the file is empty: its first line names the columns');
    return records;
  }

  private read(isLast: boolean): FileRecord[] {
    const records: FileRecord[] = [];
    this.hasBegun ||= this.begin(isLast);
    const text = this.rest;
    const { delimiter } = this;
    const quoted = text.includes('"');
    let position = 0;
    while (this.hasBegun && position < text.length) {
      let end = text.indexOf('\n', position);
      if (end === -1) {
        if (!isLast) break;
        end = text.length;
      }
      const quote = quoted ? text.indexOf('"', position) : -1;
      if (quote === -1 || quote > end) {
        const stop = text.charCodeAt(end - 1) === CARRIAGE_RETURN && end > position ? end - 1 : end;
        if (stop > position) this.take(plainCells(text.slice(position, stop), delimiter), records);
        this.line++;
      } else {
        const row = quotedRow(text, position, isLast, delimiter);
        if (row === undefined) break;
        end = row.end;
        if ('problem' in row) {
          const columns = this.header ?? [];
          const broken = text.slice(position, end);
          records.push({ kind: 'broken', line: this.line, problem: row.problem, text: broken, columns });
        } else this.take(row.cells, records);
        this.line += lineEndsIn(text, position, end) + 1;
      }
      position = end + 1;
    }
    this.rest = text.slice(position);
    if (this.rest.length > MAX_ROW_LENGTH) throw unreadable(this.line, 'a quote is not closed');
    return records;
  }

  /** Looks at the first line, once it is whole, for what divides the cells. */
  private begin(isLast: boolean): boolean {
    const first = FIRST_LINE.exec(this.rest);
    if (first === null || (first[2] === '' && !isLast)) return false;
    const [upTo, line = ''] = first;
    const named = NAMED_DELIMITER.exec(line)?.[1];
    this.given ??= named ?? delimiterIn(line);
    if (named !== undefined) {
      this.line += lineEndsIn(upTo);
      this.rest = this.rest.slice(upTo.length);
    }
    return true;
  }

  private take(cells: Cells, records: FileRecord[]): void {
    const { line, header } = this;
    if (header === undefined) {
      this.header = cells.map((cell) => (cell ?? '').trim());
    } else if (cells.length === header.length) {
      records.push({ kind: 'record', line, columns: header, cells });
    } else {
      const problem = `has ${cells.length} cells, and the first line names ${header.length}`;
      records.push({ kind: 'broken', line, problem, text: writtenRow(cells, this.delimiter), columns: header });
    }
  }
}

const COMMA = ',';
const CARRIAGE_RETURN = 13;
const FIRST_LINE = /^[\r\n]*([^\r\n]+)(\r?\n?)/;
const NAMED_DELIMITER = /^"?sep=([^"])"?$/i;
const QUOTED = /"[^"]*(?:"|$)/g;

function delimiterIn(firstLine: string): string {
  const names = firstLine.replace(QUOTED, '');
  return [COMMA, ';', '\t'].find((each) => names.includes(each)) ?? COMMA;
}

function plainCells(line: string, delimiter: string): Cells {
  const cells = line.split(delimiter) as Cells;
  for (let at = 0; at < cells.length; at++) {
    const cell = cells[at];
    if (cell === '') cells[at] = undefined;
    else if (cell === 'NULL') cells[at] = null;
  }
  return cells;
}

type QuotedRow = { readonly cells: Cells; readonly end: number } | { readonly problem: string; readonly end: number };

/** A row with quotes in it, up to its line end; undefined where the rest of it has not come yet. */
function quotedRow(text: string, start: number, isLast: boolean, delimiter: string): QuotedRow | undefined {
  const cells: Cells = [];
  let position = start;
  for (;;) {
    if (text[position] === '"') {
      let cell = '';
      for (;;) {
        const close = text.indexOf('"', position + 1);
        if (close === -1) return isLast ? { problem: 'a quote is not closed', end: text.length } : undefined;
        cell += text.slice(position + 1, close);
        position = close + 1;
        if (text[position] !== '"') break;
        cell += '"';
      }
      cells.push(cell);
    } else {
      const from = position;
      while (position < text.length && text[position] !== delimiter && text[position] !== '\n') position++;
      const end = text[position - 1] === '\r' && text[position] !== delimiter ? position - 1 : position;
      const cell = text.slice(from, Math.max(from, end));
      cells.push(cell === '' ? undefined : cell === 'NULL' ? null : cell);
    }
    if (text[position] === '\r' && text[position + 1] === '\n') position++;
    if (position >= text.length) return isLast ? { cells, end: text.length } : undefined;
    if (text[position] === '\n') return { cells, end: position };
    if (text[position] !== delimiter) {
      const end = text.indexOf('\n', position);
      if (end === -1 && !isLast) return undefined;
      return { problem: 'text follows a closing quote', end: end === -1 ? text.length : end };
    }
    position++;
  }
}

/** A row as it would stand in a file with that delimiter. */
export function writtenRow(cells: readonly unknown[], delimiter: string): string {
  return cells.map((cell) => written(cell, delimiter)).join(delimiter);
}

function written(cell: unknown, delimiter: string): string {
  if (cell === undefined) return '';
  if (cell === null) return 'NULL';
  const text = typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
  return text === '' || text === 'NULL' || text.includes(delimiter) || /["\r\n]/.test(text)
    ? `"${text.replaceAll('"', '""')}"`
    : text;
}
