/** A CSV text with cached positions of the next quote and line end. */
export const QUOTE = '"';
export const QUOTE_CODE = 34;
/** A position beyond the end of any text. */
export const NOWHERE = Number.POSITIVE_INFINITY;

/** Caches the position of the next quote and line end, so that a distant quote is searched for only once. */
export class CsvScanner {
  private quoteAt = -1;
  private feedAt = -1;
  private returnAt = -1;
  private separatorAt = -1;

  constructor(
    private readonly text: string,
    private readonly between: string,
    readonly isLast: boolean,
  ) {}

  get length(): number {
    return this.text.length;
  }

  slice(from: number, to: number): string {
    return this.text.slice(from, to);
  }

  isQuote(position: number): boolean {
    return this.text.charCodeAt(position) === QUOTE_CODE;
  }

  separator(position: number): number {
    if (this.separatorAt < position) this.separatorAt = this.find(this.between, position);
    return this.separatorAt;
  }

  quote(position: number): number {
    if (this.quoteAt < position) this.quoteAt = this.find(QUOTE, position);
    return this.quoteAt;
  }

  /** The end of the line; NOWHERE if the text ends first, since a carriage return may be half of a line end. */
  lineEnd(position: number): number {
    if (this.feedAt < position) this.feedAt = this.find('\n', position);
    if (this.returnAt < position) this.returnAt = this.find('\r', position);
    const end = this.feedAt < this.returnAt ? this.feedAt : this.returnAt;
    if (end < this.length - 1) return end;
    if (this.isLast) return end < this.length ? end : this.length;
    return end === this.feedAt ? end : NOWHERE;
  }

  afterLineEnd(end: number): number {
    return end + (this.text[end] === '\r' && this.text[end + 1] === '\n' ? 2 : 1);
  }

  private find(sign: string, position: number): number {
    const at = this.text.indexOf(sign, position);
    return at === -1 ? NOWHERE : at;
  }
}
