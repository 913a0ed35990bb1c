/** A position in a text, with the one syntax error: what was found, and what was expected. */
import { ApiError } from '../base/errors.ts';
import { Scanner as TextScanner } from '../text/scanner.ts';

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

  /** Reads items with commas between them. More than `most` are an error. */
  list<T>(read: () => T, most = Number.POSITIVE_INFINITY, tooMany: string | (() => ApiError) = ''): T[] {
    const items: T[] = [];
    do {
      items.push(read());
      if (items.length > most) throw typeof tooMany === 'string' ? new ApiError('54000', tooMany) : tooMany();
    } while (this.take(','));
    return items;
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
