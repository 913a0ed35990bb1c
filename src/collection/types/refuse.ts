/** A text that is no value of a type. */
import { type ErrorCode, Refusal } from '../../errors.ts';

export function refuseSyntax(title: string, text: string, code: ErrorCode = '22P02'): never {
  // In a URL a plus sign is a space.
  const isPlusLost = code === '22007' && /\d \d\d(:?\d\d)?$/.test(text);
  throw new Refusal(code, `invalid input syntax for type ${title}: "${text}"`, {
    ...(isPlusLost ? { hint: 'In a URL, write + as %2B.' } : {}),
  });
}
