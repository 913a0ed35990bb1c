/** Rejects a text that is not a value of its type. */
import { ApiError, type ErrorCode } from '../../base/errors.ts';
import { say } from '../../base/sentence.ts';

export function rejectSyntax(title: string, text: string, code: ErrorCode = '22P02'): never {
  // In a URL a plus sign is a space: an offset follows the time without its sign.
  const isPlusLost = code === '22007' && /:\d\d(\.\d+)? \d\d(:?\d\d)?$/.test(text);
  const hint = isPlusLost
    ? 'Write the sign of the offset: +02:00; in a URL, write + as %2B.'
    : NUMBERS.has(title) && isDecorated(text)
      ? PLAIN_NUMBER
      : undefined;
  throw new ApiError(code, say`invalid input syntax for type ${title}: "${text}"`, { hint });
}

const NUMBERS: ReadonlySet<string> = new Set(['smallint', 'integer', 'bigint', 'numeric', 'real', 'double precision']);
const PLAIN_NUMBER =
  'Write the number alone: without a currency, nothing between the thousands, a point before decimals.';
/** Longer texts do not get a hint. */
const LONGEST_NUMBER = 64;
const DECORATED = /^(?:\p{Sc}|[A-Z]{3})?[-+]?(?:\p{Sc}|[A-Z]{3})?\d[\d.,'’]*(?:\p{Sc}|%|[A-Z]{3}|,?-)?$/u;

/** Whether the text is a number as people write it: `$1,200.50`, `5 EUR`, `1 200`. */
function isDecorated(text: string): boolean {
  if (text.length > LONGEST_NUMBER || /^[-+]?\d*\.?\d*$/.test(text.trim())) return false;
  return DECORATED.test(text.replaceAll(/\s/g, ''));
}
