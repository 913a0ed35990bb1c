/** Names and values in PostgREST's syntax, read by position: plain or quoted names, steps into JSON, quoted values. */

import { ApiError } from '../base/errors.ts';
import { say, type Wording } from '../base/sentence.ts';
import { Scanner as TextScanner } from '../text/scanner.ts';
import { AGGREGATES, type Aggregate, type FieldPath, type JsonStep } from './tree.ts';

const END = say`end of input`;
const SINGLE_QUOTE = 39;
const QUOTE_HINT = 'Leave out the single quotes. If a name or key has special characters, put it into double quotes.';

export class Scanner extends TextScanner {
  constructor(
    /** The name of the text in messages: `filter`, `order`, … */
    private readonly subject: string,
    text: string,
    private readonly hint?: () => string | undefined,
  ) {
    super(text);
  }

  expect(expected: string, words: Wording = `"${expected}"`): void {
    if (!this.take(expected)) this.fail(words);
  }

  skipSpaces(): void {
    while (this.text.charCodeAt(this.position) === 32) this.position++;
  }

  /** Tries to parse; restores the position on failure. */
  attempt<T>(read: () => T | undefined): T | undefined {
    const start = this.position;
    const result = read();
    if (result === undefined) this.position = start;
    return result;
  }

  /** Reads items with commas between them. More than `most` are an error. */
  list<T>(read: () => T, most = Number.POSITIVE_INFINITY, tooMany: string | (() => ApiError) = ''): T[] {
    const items: T[] = [];
    do {
      items.push(read());
      if (items.length > most) throw typeof tooMany === 'string' ? new ApiError('54000', tooMany) : tooMany();
    } while (this.take(','));
    return items;
  }

  expectEnd(words: Wording = END): void {
    if (!this.atEnd) this.fail(words);
  }

  fail(expecting: Wording, position = this.position, hint = this.hint?.()): never {
    const character = this.text.codePointAt(position);
    const unexpected = character === undefined ? END : `"${String.fromCodePoint(character)}"`;
    throw new ApiError(
      'PGRST100',
      say`"failed to parse ${this.subject} (${this.text})" (line 1, column ${position + 1})`,
      {
        details: say`unexpected ${unexpected} expecting ${expecting}`,
        hint: character === SINGLE_QUOTE ? QUOTE_HINT : hint,
      },
    );
  }
}

export const FIELD_NAME = say`field name (* or [a..z0..9_$])`;

/** A hyphen may occur inside a name, unless it begins an arrow. */
const PLAIN_NAME = /[\p{L}\p{N}_$ ]+(?:-(?!>)[\p{L}\p{N}_$ ]+)*/uy;
/** A fast path for most names. */
const PLAIN_WORD = /[A-Za-z0-9_$]+(?=[.,:()!]|$)/y;
/** A dash may stand inside a key, unless it begins an arrow; a key begins with one only if it is an index. */
const JSON_KEY = /-\d+|(?!\s)[^"',:.()<>-]+(?:-(?!>)[^"',:.()<>-]+)*/y;

const ARROW = /->>?/y;
export const NO_STEPS: readonly JsonStep[] = [];

export function readName(scanner: Scanner): string {
  const quoted = readQuoted(scanner);
  if (quoted !== undefined) return quoted;
  const start = scanner.position;
  const name = scanner.takeWhile(PLAIN_WORD) || scanner.takeWhile(PLAIN_NAME).trim();
  if (name === '') scanner.fail(FIELD_NAME, start);
  return name;
}

export function readFieldPath(scanner: Scanner): FieldPath {
  scanner.skipSpaces();
  const name = readName(scanner);
  scanner.skipSpaces();
  if (!scanner.sees(ARROW)) return { name, json: NO_STEPS };
  const json: JsonStep[] = [];
  while (scanner.sees(ARROW)) {
    const arrow = scanner.takeWhile(ARROW) as JsonStep['arrow'];
    const key = readQuoted(scanner) ?? scanner.takeWhile(JSON_KEY).trimEnd();
    if (key === '') scanner.fail(say`a key or an index`);
    json.push({ arrow, key });
  }
  scanner.skipSpaces();
  return { name, json };
}

const FIGURE = new RegExp(
  `(?:"(?:[^"\\\\]|\\\\.)*"|[^"(),])*\\.(?:${AGGREGATES.join('|')})\\((?:distinct)?\\)(?=\\.|$)`,
  'y',
);

/** A field, or a figure of related rows: `prices.amount.min()`, `prices.count()`. */
export function readTestedPath(scanner: Scanner): FieldPath {
  if (!scanner.sees(FIGURE)) return readFieldPath(scanner);
  scanner.skipSpaces();
  const embed = readName(scanner);
  scanner.expect('.');
  return readFigure(scanner, embed);
}

/** A field of related rows and its aggregate, or `count()`. */
export function readFigure(scanner: Scanner, embed: string): FieldPath {
  if (scanner.take('count()')) return { name: '', json: NO_STEPS, figure: { embed, aggregate: 'count' } };
  const field = readFieldPath(scanner);
  const aggregate = readAggregate(scanner);
  return aggregate === undefined ? field : { ...field, figure: { embed, aggregate } };
}

export function readAggregate(scanner: Scanner): Aggregate | undefined {
  if (!scanner.take('.')) return undefined;
  const aggregate = AGGREGATES.find((name) => scanner.take(name));
  if (aggregate === undefined) scanner.fail('"sum", "avg", "count", "max" or "min"');
  if (aggregate === 'count' && scanner.take('(distinct)')) return 'distinct';
  scanner.expect('()');
  return aggregate;
}

const QUOTED = /"([^"\\]*(?:\\.[^"\\]*)*)"/sy;

/** A text in double quotes; a backslash escapes the next character. */
export function readQuoted(scanner: Scanner): string | undefined {
  return scanner.match(QUOTED)?.[1]?.replaceAll(/\\(.)/gs, '$1');
}

/** The path of an embedding as a parameter prefix: the parent's path and its own name. */
export function embedPath(way: string, name: string): string {
  const step = PLAIN_STEP.test(name) ? name : quote(name);
  return way === '' ? step : `${way}.${step}`;
}

const PLAIN_STEP = /^[\p{L}\p{N}_$]+$/u;

export function quote(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

const UP_TO_SEPARATOR = /[^,)]*/y;

/**
 * A value in a list or logic tree: quoted if a separator follows the closing quote, otherwise everything up to the
 * separator.
 */
export function readListedValue(scanner: Scanner): string {
  const quoted = scanner.attempt(() => {
    const value = readQuoted(scanner);
    return scanner.atEnd || scanner.peek() === ',' || scanner.peek() === ')' ? value : undefined;
  });
  return quoted ?? scanner.takeWhile(UP_TO_SEPARATOR);
}
