/** The query string as pairs of decoded text, in the order written. */
import { Refusal } from '../errors.ts';
import { MAX_PARAMETERS } from '../limits.ts';

export type Pair = readonly [key: string, value: string];

/** Refuses more than `most` of them as soon as they are met. */
export function splitQuery(query: string, most = MAX_PARAMETERS): Pair[] {
  const pairs: Pair[] = [];
  if (query === '') return pairs;
  for (let start = 0; start < query.length; ) {
    const next = query.indexOf('&', start);
    const end = next === -1 ? query.length : next;
    // Within the pair alone: a search to the end of the text for each of many pairs takes time in the square of their number.
    const pair = query.slice(start, end);
    const equals = pair.indexOf('=');
    if (equals !== -1) pairs.push([decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))]);
    else if (pair !== '') pairs.push([decode(pair), '']);
    if (pairs.length > most) throw new Refusal('54000', `a query string may have ${most} parameters`);
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
