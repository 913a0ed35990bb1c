/** A text that is no value of a type. */
import { type ErrorCode, Refusal } from '../../errors.ts';

export function refuseSyntax(title: string, text: string, code: ErrorCode = '22P02'): never {
  throw new Refusal(code, `invalid input syntax for type ${title}: "${shortened(text)}"`);
}

const LONGEST_SHOWN = 200;

/** A value may be megabytes long; a message is for people. */
export function shortened(text: string): string {
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}…`;
}
