/** Reads JSON incrementally: an array of objects, one object, or one object per line (NDJSON). */
import { parseJson } from '../../collection/exact-json.ts';
import {
  type FileRecord,
  fileProblem,
  lineEndsIn,
  MAX_ROW_LENGTH,
  type RecordReader,
  UnreadableFile,
} from './record.ts';

/** Turns values into records, and shares one list for equal columns. */
class ObjectRecords {
  private columns: readonly string[] = [];

  of(text: string, line: number): FileRecord {
    let value: unknown;
    try {
      value = parseJson(text);
    } catch (error) {
      const problem = fileProblem('badJson', (error as Error).message);
      return { kind: 'broken', line, problem, text, columns: [] };
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { kind: 'broken', line, problem: fileProblem('notObject'), text, columns: [] };
    }
    const keys = Object.keys(value);
    const { columns } = this;
    if (keys.length !== columns.length || keys.some((key, index) => key !== columns[index])) this.columns = keys;
    return { kind: 'record', line, columns: this.columns, cells: Object.values(value) };
  }
}

export class NdjsonReader implements RecordReader {
  private readonly records = new ObjectRecords();
  private rest = '';
  private line = 1;

  push(text: string): FileRecord[] {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop()!;
    if (this.rest.length > MAX_ROW_LENGTH)
      throw new UnreadableFile(this.line + lines.length, 'longRow', MAX_ROW_LENGTH);
    return lines.flatMap((line) => this.read(line));
  }

  end(): FileRecord[] {
    return this.read(this.rest);
  }

  private read(line: string): FileRecord[] {
    const number = this.line++;
    return line.trim() === '' ? [] : [this.records.of(line.trim(), number)];
  }
}

/** The expected token: the array or object; a value or the end; a value; a comma or the end; nothing. */
type State = 'start' | 'first' | 'value' | 'after' | 'done';

const SPACES = /\s*/y;

export class JsonReader implements RecordReader {
  private readonly records = new ObjectRecords();
  private rest = '';
  /** The line and column at which `rest` begins. */
  private line = 1;
  private column = 0;
  private state: State = 'start';
  private isArray = false;

  push(text: string): FileRecord[] {
    this.rest += text;
    const records: FileRecord[] = [];
    let position = 0;
    for (;;) {
      const next = this.step(this.rest, position, records);
      if (next === undefined) break;
      position = next;
    }
    this.rest = this.rest.slice(position);
    if (this.rest.length > MAX_ROW_LENGTH) throw new UnreadableFile(this.line, 'longObject', MAX_ROW_LENGTH);
    return records;
  }

  end(): FileRecord[] {
    if (this.state === 'done') return [];
    const text = this.rest.trimEnd();
    if (this.state === 'start' && text === '') throw new UnreadableFile(1, 'emptyJson');
    this.pass(text, 0, text.length);
    throw new UnreadableFile(this.line, text.startsWith('{') ? 'openObject' : 'openArray', this.column);
  }

  /** Reads one token; undefined if it is incomplete. */
  private step(text: string, from: number, records: FileRecord[]): number | undefined {
    SPACES.lastIndex = from;
    const start = from + SPACES.exec(text)![0].length;
    if (start > from) {
      this.pass(text, from, start);
      return start;
    }
    if (start === text.length) return undefined;
    const sign = text[start]!;
    switch (this.state) {
      case 'start':
        if (sign === '[') return this.enter('first', start, true);
        if (sign !== '{') throw new UnreadableFile(this.line, 'noObjects');
        return this.value(text, start, records);
      case 'first':
        if (sign === ']') return this.enter('done', start);
        return this.value(text, start, records);
      case 'value':
        return this.value(text, start, records);
      case 'after':
        if (sign === ',') return this.enter('value', start);
        if (sign === ']') return this.enter('done', start);
        throw new UnreadableFile(this.line, 'missingComma');
      case 'done':
        throw new UnreadableFile(this.line, 'textAfterEnd');
    }
  }

  private enter(state: State, at: number, isArray = this.isArray): number {
    this.state = state;
    this.isArray = isArray;
    this.column++;
    return at + 1;
  }

  private pass(text: string, from: number, to: number): void {
    const ends = lineEndsIn(text, from, to);
    this.line += ends;
    this.column = ends === 0 ? this.column + to - from : to - 1 - text.lastIndexOf('\n', to - 1);
  }

  private value(text: string, start: number, records: FileRecord[]): number | undefined {
    const end = endOfValue(text, start);
    if (end === undefined) return undefined;
    records.push(this.records.of(text.slice(start, end), this.line));
    this.pass(text, start, end);
    this.state = this.isArray ? 'after' : 'done';
    return end;
  }
}

const QUOTE = 34;
const BACKSLASH = 92;

/** The end of the value; undefined if it is incomplete. */
function endOfValue(text: string, start: number): number | undefined {
  const first = text[start];
  if (first !== '{' && first !== '[' && first !== '"') return endOfWord(text, start);
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      if (at === -1) return undefined;
      if (depth === 0) return at + 1;
    } else if (code === 123 || code === 91) depth++;
    else if ((code === 125 || code === 93) && --depth === 0) return at + 1;
  }
  return undefined;
}

/** A number or a stray word is not a row, but rows may follow. */
function endOfWord(text: string, start: number): number | undefined {
  const length = text.slice(start).search(/[,\]\s]/);
  return length === -1 ? undefined : start + length;
}

function endOfString(text: string, quote: number): number {
  for (let at = text.indexOf('"', quote + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}
