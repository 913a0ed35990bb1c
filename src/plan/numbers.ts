/**
 * The whole numbers of a query string, such as the 1 and the 10 of `category_id=eq.1&limit=10`; what is left without them
 * is its outline. They are read for every GET: in one pass, into the same places, without making a text.
 */

/** More than that are not of a kind that is worth remembering. */
const MAX_NUMBERS = 16;
/** A number of so many digits is within the bounds of every type. */
const MAX_DIGITS = 9;
/** Others than most clients ask for. */
const OTHERS_FROM = 918_273_600;
const AMPERSAND = '&'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const CLOSING = ')'.charCodeAt(0);
const DOT = '.'.charCodeAt(0);
const EQUALS = '='.charCodeAt(0);
const MARK = '#'.charCodeAt(0);
const ZERO = '0'.charCodeAt(0);
const NINE = '9'.charCodeAt(0);

export class Numbers {
  private source = '';
  private count = 0;
  private readonly values = new Float64Array(MAX_NUMBERS);
  private readonly starts = new Int32Array(MAX_NUMBERS);
  private readonly ends = new Int32Array(MAX_NUMBERS);

  /** Finds those that end a parameter, or a condition in `and=(…)`; the answer is the same for all of the same outline. */
  readFrom(text: string): number {
    this.source = text;
    this.count = 0;
    let hash = 0;
    let start = -1;
    let value = 0;
    let hashBefore = 0;
    for (let index = 0; index <= text.length; index++) {
      const code = index < text.length ? text.charCodeAt(index) : AMPERSAND;
      if (start !== -1 && code >= ZERO && code <= NINE) value = value * 10 + (code - ZERO);
      else if (code === DOT || code === EQUALS) {
        start = index + 1;
        value = 0;
        hashBefore = mixed(hash, code);
      } else {
        if (start !== -1 && isEnd(code) && this.isNumber(start, index)) {
          this.add(start, index, value);
          hash = mixed(hashBefore, MARK);
        }
        start = -1;
      }
      hash = mixed(hash, code);
    }
    return hash;
  }

  value(which: number): number {
    return this.values[which]!;
  }

  /** As it was written. */
  text(which: number): string {
    return this.source.slice(this.starts[which], this.ends[which]);
  }

  /** As many others, none of them twice, and none where it is already. */
  others(): string[] {
    return Array.from({ length: this.count }, (_, which) => {
      const other = OTHERS_FROM + which;
      return String(other === this.value(which) ? other + MAX_NUMBERS : other);
    });
  }

  /** The query string with `#` for each of them. */
  outline(): string {
    const { source, starts, ends } = this;
    let outline = '';
    let from = 0;
    for (let which = 0; which < this.count; which++) {
      outline += `${source.slice(from, starts[which])}#`;
      from = ends[which]!;
    }
    return outline + source.slice(from);
  }

  /** Whether it is the outline of this query string. */
  completes(outline: string): boolean {
    const { source, starts, ends, count } = this;
    let at = 0;
    let from = 0;
    for (let which = 0; which <= count; which++) {
      const to = which < count ? starts[which]! : source.length;
      for (; from < to; from++, at++) {
        if (outline.charCodeAt(at) !== source.charCodeAt(from)) return false;
      }
      if (which === count) break;
      if (outline.charCodeAt(at++) !== MARK) return false;
      from = ends[which]!;
    }
    return at === outline.length;
  }

  /** Zeros in front would be lost in a number. */
  private isNumber(start: number, end: number): boolean {
    const digits = end - start;
    if (digits === 0 || digits > MAX_DIGITS || this.count === MAX_NUMBERS) return false;
    return digits === 1 || this.source.charCodeAt(start) !== ZERO;
  }

  private add(start: number, end: number, value: number): void {
    this.values[this.count] = value;
    this.starts[this.count] = start;
    this.ends[this.count] = end;
    this.count++;
  }
}

function isEnd(code: number): boolean {
  return code === AMPERSAND || code === CLOSING || code === COMMA;
}

function mixed(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193);
}
