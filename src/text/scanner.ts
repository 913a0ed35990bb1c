/** A position in a text that is parsed. Patterns are sticky. */
export class Scanner {
  position = 0;

  constructor(readonly text: string) {}

  get atEnd(): boolean {
    return this.position >= this.text.length;
  }

  peek(length = 1): string {
    return this.text.slice(this.position, this.position + length);
  }

  /** Takes the next character, which may be two UTF-16 units; empty at the end. */
  next(): string {
    const code = this.text.codePointAt(this.position);
    const character = code === undefined ? '' : String.fromCodePoint(code);
    this.position += character.length;
    return character;
  }

  /** Whether a text or a pattern comes next. */
  sees(expected: string | RegExp): boolean {
    if (typeof expected === 'string') return this.text.startsWith(expected, this.position);
    expected.lastIndex = this.position;
    return expected.test(this.text);
  }

  /** Takes the given text if it comes next. */
  take(expected: string): boolean {
    const isNext = this.sees(expected);
    if (isNext) this.position += expected.length;
    return isNext;
  }

  /** Takes what a pattern matches here. */
  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.position;
    const match = pattern.exec(this.text);
    if (match !== null) this.position = pattern.lastIndex;
    return match;
  }

  /** The same as a text, empty without a match. */
  takeWhile(pattern: RegExp): string {
    const start = this.position;
    if (this.sees(pattern)) this.position = pattern.lastIndex;
    return this.text.slice(start, this.position);
  }
}
