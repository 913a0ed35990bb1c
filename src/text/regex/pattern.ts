/** A reader of a regular expression, by code point. */
export class Pattern {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(source: string) {
    this.#characters = Array.from(source);
  }

  get ended(): boolean {
    return this.#at >= this.#characters.length;
  }

  /** The next character, or the one `ahead` of it; empty past the end. */
  peek(ahead = 0): string {
    return this.#characters[this.#at + ahead] ?? '';
  }

  take(): string {
    const character = this.peek();
    this.#at += 1;
    return character;
  }

  sees(text: string): boolean {
    for (let index = 0; index < text.length; index += 1) if (this.peek(index) !== text[index]) return false;
    return true;
  }

  /** Skips `text` if it comes next; returns whether it did. */
  eat(text: string): boolean {
    const isNext = this.sees(text);
    if (isNext) this.#at += text.length;
    return isNext;
  }

  /** Takes up to `most` characters of a kind. */
  takeWhile(kind: RegExp, most = Number.POSITIVE_INFINITY): string {
    const start = this.#at;
    while (!this.ended && this.#at - start < most && kind.test(this.peek())) this.#at += 1;
    return this.#characters.slice(start, this.#at).join('');
  }

  back(count: number): void {
    this.#at -= count;
  }

  rest(): string {
    return this.#characters.slice(this.#at).join('');
  }
}
