/** Splits a query string into decoded pairs, in order. */
import { ApiError, unlessThrown } from '../errors.ts';
import { MAX_PARAMETERS } from '../limits/http.ts';

export type Pair = readonly [key: string, value: string];

/** Throws as soon as there are more than `most`. */
export function splitQuery(query: string, most = MAX_PARAMETERS): Pair[] {
  const pairs: Pair[] = [];
  if (query === '') return pairs;
  const decoded = ENCODED.test(query) ? decode : itself;
  for (let start = 0; start < query.length; ) {
    const next = query.indexOf('&', start);
    const end = next === -1 ? query.length : next;
    // Searches within the pair only: searching to the end for each pair would take quadratic time.
    if (end > start) pairs.push(decodePair(query.slice(start, end), decoded));
    if (pairs.length > most) throw new ApiError('54000', `a query string may have ${most} parameters`);
    start = end + 1;
  }
  return pairs;
}

export function decodePair(text: string, decoded = decode): Pair {
  const equals = text.indexOf('=');
  return equals === -1 ? [decoded(text), ''] : [decoded(text.slice(0, equals)), decoded(text.slice(equals + 1))];
}

const itself = (text: string) => text;

/** A name as a part of a path, and back. In a path, `+` is a plus sign. */
export function pathPart(name: string): string {
  return PLAIN_PART.test(name) ? name : encodeURIComponent(name);
}

export function nameOfPart(part: string): string {
  return PLAIN_PART.test(part) ? part : decode(part.replaceAll('+', '%2B'));
}

const PLAIN_PART = /^\w*$/;

/** `+` is a space. A `%` that does not begin an escape is literal, so that `like.Ch%` can be typed as it is. */
export function decode(text: string): string {
  if (!ENCODED.test(text)) return text;
  const bytes = new TextEncoder().encode(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    let byte = bytes[at]!;
    if (byte === PLUS) byte = SPACE;
    else if (byte === PERCENT) {
      const escaped = digit(bytes[at + 1]) * 16 + digit(bytes[at + 2]);
      // Valid UTF-8, but PostgreSQL's text cannot contain it.
      if (escaped === 0)
        throw new ApiError('22021', 'invalid byte sequence for encoding "UTF8": 0x00', {
          hint: 'Remove %00: no text contains the character NUL.',
        });
      if (escaped > 0) {
        byte = escaped;
        at += 2;
      }
    }
    bytes[length++] = byte;
  }
  const decoded = unlessThrown(() => UTF8.decode(bytes.subarray(0, length)));
  if (decoded !== undefined) return decoded;
  throw new ApiError('22021', 'invalid byte sequence for encoding "UTF8"', {
    details: `The bytes of ${text} are not UTF-8.`,
    hint: 'Encode the query string as UTF-8, then percent-encode its bytes.',
  });
}

const ENCODED = /[%+]/;
const PERCENT = 37;
const PLUS = 43;
const SPACE = 32;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The value of a hexadecimal digit; far below zero for anything else. */
function digit(byte = 0): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 0x20;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1_000;
}
