/** text: Unicode, compared by code point. */
import { ApiError } from '../../base/errors.ts';
import { say } from '../../base/sentence.ts';
import { defineType, itself, PLAIN_TEXT } from './type.ts';

/** Rejects lone surrogates, which UTF-8 cannot encode, and NUL, which PostgreSQL cannot store. */
export function readText(text: string): string {
  if (text.includes('\0')) throw new ApiError('22021', say`invalid byte sequence for encoding "UTF8": 0x00`);
  if (!text.isWellFormed())
    throw new ApiError('22021', say`invalid byte sequence for encoding "UTF8": a lone surrogate`);
  return text;
}

export const text = defineType({
  name: 'text',
  abilities: ['text'],
  read: readText,
  json: (value) => JSON.stringify(value),
  // The target type parses the text.
  casts: { '*': String },
  aggregates: { max: 'text', min: 'text' },
  sqlite: PLAIN_TEXT,
  postgres: { name: 'text', collated: true, plain: itself, text: itself },
});
