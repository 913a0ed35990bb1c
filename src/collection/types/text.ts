/** text: Unicode, compared by code point. */
import { Refusal } from '../../errors.ts';
import { defineType, itself } from './type.ts';

/** Half of a surrogate pair has no UTF-8, and PostgreSQL's text has no NUL. */
export function readText(text: string): string {
  if (text.includes('\0')) throw new Refusal('22021', 'invalid byte sequence for encoding "UTF8": 0x00');
  if (!text.isWellFormed()) throw new Refusal('22021', 'invalid byte sequence for encoding "UTF8": a lone surrogate');
  return text;
}

export const text = defineType({
  name: 'text',
  kind: 'text',
  title: 'text',
  abilities: ['text'],
  read: readText,
  store: readText,
  // Its text form is read by whatever type it is cast to.
  casts: ['*'],
  aggregates: { max: 'text', min: 'text' },
  sqlite: { column: 'text', plain: itself, json: itself, text: itself },
  postgres: {
    name: 'text',
    plain: itself,
    json: itself,
    text: itself,
    casts: { numeric: (sql) => `trim_scale((${sql})::numeric)` },
  },
  schema: { type: 'string' },
  typescript: 'string',
  input: 'text',
});
