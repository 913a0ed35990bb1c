/** The query string as pairs of decoded text, in the order written. */
import { Refusal } from '../errors.ts';

export type Pair = readonly [key: string, value: string];

export function splitQuery(query: string): Pair[] {
  const pairs: Pair[] = [];
  if (query === '') return pairs;
  for (let start = 0; start < query.length; ) {
    const next = query.indexOf('&', start);
    const end = next === -1 ? query.length : next;
    const equals = query.indexOf('=', start);
    if (equals === -1 || equals > end) {
      if (end > start) pairs.push([decode(query.slice(start, end)), '']);
    } else pairs.push([decode(query.slice(start, equals)), decode(query.slice(equals + 1, end))]);
    start = end + 1;
  }
  return pairs;
}

/** `+` is a space; a `%` that begins no escape stands for itself, so that `like.Ch%` may be typed as it is. */
export function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  // A NUL is valid UTF-8, but PostgreSQL's text has none.
  if (spaced.includes('%00')) throw new Refusal('22021', 'invalid byte sequence for encoding "UTF8": 0x00');
  try {
    return decodeURIComponent(spaced.replace(/%(?![0-9a-f]{2})/gi, '%25'));
  } catch {
    throw new Refusal('22021', 'invalid byte sequence for encoding "UTF8"', {
      details: `The bytes of ${text} are not UTF-8.`,
      hint: 'Encode the query string as UTF-8, then percent-encode its bytes.',
    });
  }
}
