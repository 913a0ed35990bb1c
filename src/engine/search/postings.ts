/**
 * The rows that contain a word, packed: for each row its number, and for each field with the word the field's number,
 * its length in words, and the positions of the word. All numbers are varints, and growing numbers are differences.
 */

/** The hits of a word in a row: `[field, words in the field, count, position, …]` for each field. */
export type Hits = readonly number[];

/** Postings of one word, to which rows with greater numbers are added. */
export class PostingList {
  last = 0;
  private first = 0;
  /** Without the number of the first row, which depends on the postings before. */
  private readonly bytes: number[] = [];

  /** Adds a row with the packed hits at a place. */
  add(document: number, bytes: Uint8Array, hitsAt: number): void {
    if (this.last === 0) this.first = document;
    else push(this.bytes, document - this.last);
    this.last = document;
    const length = read(bytes, hitsAt);
    const end = place + length;
    for (let at = hitsAt; at < end; at++) this.bytes.push(bytes[at]!);
  }

  get size(): number {
    return this.bytes.length;
  }

  /** In hexadecimal digits. `after` is the last number of the postings before. */
  encode(after: number): string {
    const start: number[] = [];
    push(start, this.first - after);
    return Buffer.from(start.concat(this.bytes)).toString('hex');
  }
}

/**
 * Appends hits in ascending order, each given as `row, field, words in the field, position`. `before` is added to rows.
 */
export function packHits(bytes: number[], hits: readonly number[], before = 0): void {
  let last = -before;
  for (let at = 0; at < hits.length; ) {
    const document = hits[at]!;
    push(bytes, document - last);
    last = document;
    const lengthAt = bytes.push(0) - 1;
    while (hits[at] === document) {
      const field = hits[at + 1]!;
      let end = at + 4;
      while (hits[end] === document && hits[end + 1] === field) end += 4;
      push(bytes, field);
      push(bytes, hits[at + 2]!);
      push(bytes, (end - at) / 4);
      for (let position = 0; at < end; at += 4) {
        push(bytes, hits[at + 3]! - position);
        position = hits[at + 3]!;
      }
    }
    setLength(bytes, lengthAt);
  }
}

/** Sets the length of the bytes after a place, which has one byte for it. */
function setLength(bytes: number[], at: number): void {
  const length = bytes.length - at - 1;
  bytes[at] = length;
  if (length < 128) return;
  const packed: number[] = [];
  push(packed, length);
  bytes.splice(at, 1, ...packed);
}

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

/** The postings of several words, each after its length, in hexadecimal digits. `before` is added to the rows. */
export function packLists(words: readonly { readonly hits: readonly number[] }[], before: number): string {
  const bytes: number[] = [];
  for (const { hits } of words) {
    const lengthAt = bytes.push(0) - 1;
    packHits(bytes, hits, before);
    setLength(bytes, lengthAt);
  }
  return Buffer.from(bytes).toString('hex');
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
