/** A position in a text, with the one syntax error: what was found, and what was expected. */
import { ApiError } from '../base/errors.ts';

const SINGLE_QUOTE = 39;
const QUOTE_HINT = 'Leave out the single quotes. If a name or key has special characters, put it into double quotes.';

export class Scanner {
  position = 0;

  constructor(
    /** The name of the text in messages: `filter`, `order`, … */
    private readonly subject: string,
    readonly text: string,
    private readonly hint?: () => string | undefined,
  ) {}

  get atEnd(): boolean {
    return this.position >= this.text.length;
  }

  peek(length = 1): string {
    return this.text.slice(this.position, this.position + length);
  }

  /** Takes the given text if it comes next. */
  take(expected: string): boolean {
    if (!this.text.startsWith(expected, this.position)) return false;
    this.position += expected.length;
    return true;
  }

  /** Whether a sticky pattern matches here. */
  sees(pattern: RegExp): boolean {
    pattern.lastIndex = this.position;
    return pattern.test(this.text);
  }

  /** Takes what a sticky pattern matches here, or an empty text. */
  takeWhile(pattern: RegExp): string {
    const start = this.position;
    if (this.sees(pattern)) this.position = pattern.lastIndex;
    return this.text.slice(start, this.position);
  }

  expect(expected: string, words = `"${expected}"`): void {
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

  expectEnd(words = 'end of input'): void {
    if (!this.atEnd) this.fail(words);
  }

  fail(expecting: string, position = this.position, hint = this.hint?.()): never {
    const character = this.text.codePointAt(position);
    const unexpected = character === undefined ? 'end of input' : `"${String.fromCodePoint(character)}"`;
    throw new ApiError(
      'PGRST100',
      `"failed to parse ${this.subject} (${this.text})" (line 1, column ${position + 1})`,
      {
        details: `unexpected ${unexpected} expecting ${expecting}`,
        hint: character === SINGLE_QUOTE ? QUOTE_HINT : hint,
      },
    );
  }
}
