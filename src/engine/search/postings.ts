/**
 * The rows that contain a word, packed: for each row its number, and for each field with the word the field's number,
 * its length in words, and the positions of the word. All numbers are varints, and growing numbers are differences.
 */

/** The hits of a word in a row: `[field, words in the field, count, position, …]` for each field. */
export type Hits = readonly number[];

export interface Posting {
  readonly document: number;
  readonly hits: Hits;
}

export function encodePostings(postings: readonly Posting[], after: number): number[] {
  const bytes: number[] = [];
  let last = after;
  for (const { document, hits } of postings) {
    push(bytes, document - last);
    last = document;
    const packed: number[] = [];
    for (let at = 0; at < hits.length; at += 3 + hits[at + 2]!) {
      push(packed, hits[at]!);
      push(packed, hits[at + 1]!);
      push(packed, hits[at + 2]!);
      let previous = 0;
      for (let nth = 0; nth < hits[at + 2]!; nth++) {
        const position = hits[at + 3 + nth]!;
        push(packed, position - previous);
        previous = position;
      }
    }
    push(bytes, packed.length);
    for (const byte of packed) bytes.push(byte);
  }
  return bytes;
}

function push(bytes: number[], value: number): void {
  let rest = value;
  while (rest > 127) {
    bytes.push((rest & 127) | 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
}

/** Calls `take` for each row. `after` is the number from which the first difference counts. */
export function decodePostings(
  bytes: Uint8Array,
  after: number,
  take: (document: number, hits: number[]) => void,
): void {
  let at = 0;
  const next = () => {
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = bytes[at++]!;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  };
  let document = after;
  while (at < bytes.length) {
    document += next();
    const length = next();
    const end = at + length;
    const hits: number[] = [];
    while (at < end) {
      const field = next();
      const words = next();
      const count = next();
      hits.push(field, words, count);
      let position = 0;
      for (let nth = 0; nth < count; nth++) {
        position += next();
        hits.push(position);
      }
    }
    take(document, hits);
  }
}
