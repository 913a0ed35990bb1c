/**
 * The rows that contain a word, packed: for each row its number, and for each field with the word the field's number,
 * its length in words, and the positions of the word. All numbers are varints, and growing numbers are differences.
 */

/** The hits of a word in a row: `[field, words in the field, count, position, …]` for each field. */
export type Hits = readonly number[];

/** Postings of one word, to which rows with greater numbers are added. */
export class PostingList {
  private first = 0;
  last = 0;
  /** Without the number of the first row, which depends on the postings before. */
  private readonly bytes: number[] = [];

  add(document: number, hits: Hits): void {
    if (this.last === 0) this.first = document;
    else push(this.bytes, document - this.last);
    this.last = document;
    packed.length = 0;
    for (let at = 0; at < hits.length; at += 3 + hits[at + 2]!) {
      const end = at + 3 + hits[at + 2]!;
      push(packed, hits[at]!);
      push(packed, hits[at + 1]!);
      push(packed, hits[at + 2]!);
      for (let nth = at + 3; nth < end; nth++) push(packed, hits[nth]! - (nth > at + 3 ? hits[nth - 1]! : 0));
    }
    push(this.bytes, packed.length);
    for (const byte of packed) this.bytes.push(byte);
  }

  get size(): number {
    return this.bytes.length;
  }

  /** In hexadecimal digits. `after` is the last number of the postings before. */
  encode(after: number): string {
    return Buffer.from(this.pack(after)).toString('hex');
  }

  pack(after: number): readonly number[] {
    const start: number[] = [];
    push(start, this.first - after);
    return start.concat(this.bytes);
  }
}

/** The hits of the row that is added. */
const packed: number[] = [];

function push(bytes: number[], value: number): void {
  let rest = value;
  while (rest > 127) {
    bytes.push((rest & 127) | 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
}

/** The place after the last number that was read. */
let place = 0;

function read(bytes: Uint8Array, at: number): number {
  let next = at;
  let byte = bytes[next++]!;
  let value = byte & 127;
  for (let factor = 128; byte > 127; factor *= 128) {
    byte = bytes[next++]!;
    value += (byte & 127) * factor;
  }
  place = next;
  return value;
}

/** Calls `take` for each row, with the place of its hits. */
export function eachPosting(bytes: Uint8Array, take: (document: number, hitsAt: number) => void): void {
  let document = 0;
  let at = 0;
  while (at < bytes.length) {
    document += read(bytes, at);
    const hitsAt = place;
    const length = read(bytes, hitsAt);
    at = place + length;
    take(document, hitsAt);
  }
}

/** Appends the hits at a place to a list. */
export function readHits(bytes: Uint8Array, hitsAt: number, hits: number[]): void {
  const length = read(bytes, hitsAt);
  const end = place + length;
  while (place < end) {
    hits.push(read(bytes, place), read(bytes, place));
    const count = read(bytes, place);
    hits.push(count);
    let position = 0;
    for (let nth = 0; nth < count; nth++) {
      position += read(bytes, place);
      hits.push(position);
    }
  }
}

/** The postings of several words. `before` is the number before that of the first row. */
export function packLists(words: readonly { readonly list: PostingList }[], before: number): string {
  const all: number[] = [];
  for (const { list } of words) {
    const bytes = list.pack(-before);
    push(all, bytes.length);
    for (const byte of bytes) all.push(byte);
  }
  return Buffer.from(all).toString('hex');
}

/** Calls `take` for the postings of each word. */
export function eachList(bytes: Uint8Array, take: (nth: number, start: number, end: number) => void): void {
  for (let at = 0, nth = 0; at < bytes.length; nth++) {
    const length = read(bytes, at);
    const start = place;
    at = start + length;
    take(nth, start, at);
  }
}

/** Whether a word is at a position of a field. */
export function isAt(hits: Hits, field: number, position: number): boolean {
  for (let at = 0; at < hits.length; at += 3 + hits[at + 2]!) {
    if (hits[at] !== field) continue;
    let low = at + 3;
    let high = low + hits[at + 2]!;
    const end = high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (hits[middle]! < position) low = middle + 1;
      else high = middle;
    }
    if (low < end && hits[low] === position) return true;
  }
  return false;
}

/** Whether words follow each other in a field. */
export function isSequence([first, ...rest]: readonly Hits[]): boolean {
  for (let at = 0; at < first!.length; at += 3 + first![at + 2]!) {
    for (let nth = at + 3; nth < at + 3 + first![at + 2]!; nth++) {
      if (rest.every((hits, index) => isAt(hits, first![at]!, first![nth]! + index + 1))) return true;
    }
  }
  return false;
}

/** Whether a word follows another in a field. */
export function isFollowed(hits: Hits, others: Hits): boolean {
  for (let at = 0; at < hits.length; at += 3 + hits[at + 2]!) {
    for (let other = 0; other < others.length; other += 3 + others[other + 2]!) {
      if (hits[at] !== others[other]) continue;
      let next = other + 3;
      const end = next + others[other + 2]!;
      for (let nth = at + 3; nth < at + 3 + hits[at + 2]!; nth++) {
        while (next < end && others[next]! <= hits[nth]!) next++;
        if (next < end && others[next] === hits[nth]! + 1) return true;
      }
    }
  }
  return false;
}
