/**
 * Scans a JSON body before parsing: a few characters may become a value of a hundred times their memory. It counts what
 * is limited and finds where a list can be split. It does not validate the JSON.
 */

import { BYTES_PER_SLICE } from '../../base/cooperative.ts';
import { ApiError } from '../../base/errors.ts';
import {
  MAX_BODY_ROWS,
  MAX_BODY_VALUES,
  MAX_JSON_DEPTH,
  MAX_NUMBER_LENGTH,
  MAX_ROW_VALUES,
} from '../../base/limits/http.ts';
import { tooDeep } from '../../collection/exact-json.ts';

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
/** Space, tab, line feed, return. */
const WHITE_SPACE: readonly number[] = [32, 9, 10, 13];
const BACKSLASH = 92;
/** `[` and `{`, `]` and `}`: the same but for a bit. */
const OPENS = 0x5b;
const CLOSES = 0x5d;
const BRACKET_BIT = 0x20;
/** The list and its objects; deeper levels are field values. */
const OUTER_LEVELS = 2;

export class JsonScan {
  /** Positions before commas between list items, at which slices end. */
  readonly cuts: number[] = [];
  /** The positions of the list's brackets. */
  listStart = -1;
  listEnd = -1;
  private readonly count = new BodyCount(1);
  private at: number;
  private depth = 0;
  private inString = false;
  private numberLength = 0;
  private hasOpened = false;
  /** Whether there is text before or after the list. */
  private isOdd = false;

  constructor(private readonly bytes: Uint8Array) {
    const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    this.at = isMarked ? 3 : 0;
  }

  /** Whether the brackets are balanced; otherwise the JSON is invalid. */
  get isClosed(): boolean {
    return this.depth === 0 && !this.inString && !this.isOdd;
  }

  get isDone(): boolean {
    return this.at >= this.bytes.length;
  }

  /** Scans one slice. */
  advance(): void {
    const { bytes } = this;
    const end = Math.min(bytes.length, this.at + BYTES_PER_SLICE);
    while (this.at < end) {
      if (this.inString) {
        this.skipString(end);
        continue;
      }
      const byte = bytes[this.at]!;
      if (byte === QUOTE) {
        this.inString = true;
        this.numberLength = 0;
        this.value();
      } else if ((byte | BRACKET_BIT) === (OPENS | BRACKET_BIT)) this.open(byte === OPENS);
      else if ((byte | BRACKET_BIT) === (CLOSES | BRACKET_BIT)) this.close(byte === CLOSES);
      else if (byte === COMMA) this.comma();
      else this.other(byte);
      this.at++;
    }
  }

  /** Skips to the end of the string, or to the end of the slice. */
  private skipString(end: number): void {
    const { bytes } = this;
    while (this.at < end) {
      const quote = bytes.indexOf(QUOTE, this.at);
      if (quote === -1) {
        this.at = bytes.length;
        return;
      }
      let escapes = quote;
      while (bytes[escapes - 1] === BACKSLASH) escapes--;
      this.at = quote + 1;
      if ((quote - escapes) % 2 === 1) continue;
      this.inString = false;
      return;
    }
  }

  private open(isList: boolean): void {
    if (this.depth === 0) {
      if (this.hasOpened) this.isOdd = true;
      this.hasOpened = true;
      if (isList) this.listStart = this.at;
    } else this.value();
    this.depth++;
    this.numberLength = 0;
    if (this.depth > MAX_JSON_DEPTH + OUTER_LEVELS) throw tooDeep();
  }

  private close(isList: boolean): void {
    this.depth--;
    this.numberLength = 0;
    if (this.depth > 0) return;
    if (this.depth < 0 || isList !== (this.listStart !== -1)) this.isOdd = true;
    this.listEnd = this.at;
  }

  private comma(): void {
    this.numberLength = 0;
    if (this.depth === 0) this.isOdd = true;
    if (this.depth !== 1 || this.listStart === -1) return;
    this.count.row();
    if (this.at - (this.cuts.at(-1) ?? this.listStart) >= BYTES_PER_SLICE) this.cuts.push(this.at);
  }

  /** Part of a number or word, a colon, or a space. */
  private other(byte: number): void {
    if (byte <= 32 || byte === COLON) {
      this.numberLength = 0;
      if (this.depth === 0 && !WHITE_SPACE.includes(byte)) this.isOdd = true;
      return;
    }
    if (this.numberLength === 0) this.value();
    if (++this.numberLength > MAX_NUMBER_LENGTH) throw numberTooLong();
  }

  /** Keys count like values. */
  private value(): void {
    if (this.depth === 0) this.isOdd = true;
    this.count.value();
  }
}

export class BodyCount {
  private values = 0;
  private inRow = 0;

  /** `rows` is the initial count. */
  constructor(private rows: number) {}

  row(): void {
    this.inRow = 0;
    if (++this.rows > MAX_BODY_ROWS) throw tooMany(`${MAX_BODY_ROWS} rows`);
  }

  value(): void {
    if (++this.values > MAX_BODY_VALUES) throw tooMany(`${MAX_BODY_VALUES} names and values`);
    if (++this.inRow > MAX_ROW_VALUES)
      throw tooMany(`${MAX_ROW_VALUES} names and values in one row, or in one request of a batch`);
  }
}

function tooMany(what: string): ApiError {
  return new ApiError('54000', `a body may hold ${what}`, {
    nothingChanged: true,
    hint: 'Send the rows in several requests, or store them with catalogue import.',
  });
}

function numberTooLong(): ApiError {
  return new ApiError('54000', `a number of a body may have ${MAX_NUMBER_LENGTH} characters`, {
    nothingChanged: true,
  });
}
