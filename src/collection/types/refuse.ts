/** A text that is no value of a type. */
import { type ErrorCode, Refusal } from '../../errors.ts';

export function refuseSyntax(title: string, text: string, code: ErrorCode = '22P02'): never {
  throw new Refusal(code, `invalid input syntax for type ${title}: "${text}"`);
}
