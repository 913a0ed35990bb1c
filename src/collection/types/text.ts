/** text: Unicode, compared by code point. */
import { Refusal } from '../../errors.ts';
import { defineType, itself, PLAIN_TEXT } from './type.ts';

/** Half of a surrogate pair has no UTF-8, and PostgreSQL's text has no NUL. */
export function readText(text: string): string {
  if (text.includes('\0')) throw new Refusal('22021', 'invalid byte sequence for encoding "UTF8": 0x00');
  if (!text.isWellFormed()) throw new Refusal('22021', 'invalid byte sequence for encoding "UTF8": a lone surrogate');
  return text;
}

export const text = defineType({
  name: 'text',
  abilities: ['text'],
  read: readText,
  json: (value) => JSON.stringify(value),
  // Its text form is read by whatever type it is cast to.
  casts: { '*': String },
  aggregates: { max: 'text', min: 'text' },
  sqlite: PLAIN_TEXT,
  postgres: { name: 'text', collated: true, plain: itself, text: itself },
});
