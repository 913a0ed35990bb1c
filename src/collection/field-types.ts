/**
 * The types a field can have, one entry each: what it is called, how its text form is read. Reading follows
 * PostgreSQL's input functions, so that a bad value gets the same code and message on every engine.
 */
import { Refusal } from '../errors.ts';
import { INT4_MAX, INT4_MIN } from '../limits.ts';
import { comparableDecimal, storableDecimal, storableNumber } from './decimal.ts';
import type { Value } from './value.ts';

export type FieldType = 'int4' | 'decimal' | 'text';

interface TypeRules {
  /** PostgreSQL's name of the type, as its messages have it. */
  readonly title: string;
  /** A value to compare a field with. */
  readonly readComparable: (text: string) => Value;
  /** A value to store, from its text form. */
  readonly readStorable: (text: string) => Value;
  /** A value to store, from a JSON number, without the way through its text where none is needed. */
  readonly storeNumber: (number: number) => Value;
}

export const FIELD_TYPES: Readonly<Record<FieldType, TypeRules>> = {
  int4: {
    title: 'integer',
    readComparable: readInt4,
    readStorable: readInt4,
    storeNumber: (number) => (isInt4(number) ? number + 0 : readInt4(String(number))),
  },
  decimal: {
    title: 'numeric',
    readComparable: (text) => comparableDecimal(text) ?? refuseSyntax('numeric', text),
    readStorable: (text) => storableDecimal(text) ?? refuseSyntax('numeric', text),
    storeNumber: (number) => storableNumber(number) ?? refuseSyntax('numeric', String(number)),
  },
  text: {
    title: 'text',
    readComparable: readText,
    readStorable: readText,
    storeNumber: String,
  },
};

const INTEGER = /^[ \t\n\v\f\r]*([+-]?\d+)[ \t\n\v\f\r]*$/;

export function readInt4(text: string): number {
  const match = INTEGER.exec(text);
  if (match === null) return refuseSyntax('integer', text);
  const number = Number(match[1]);
  if (!isInt4(number)) throw new Refusal('22003', `value "${text}" is out of range for type integer`);
  return number + 0;
}

function isInt4(number: number): boolean {
  return Number.isInteger(number) && number >= INT4_MIN && number <= INT4_MAX;
}

/** Half of a surrogate pair has no UTF-8, and PostgreSQL's text has no NUL. */
export function readText(text: string): string {
  if (text.includes('\0')) throw new Refusal('22021', 'invalid byte sequence for encoding "UTF8": 0x00');
  if (!text.isWellFormed()) throw new Refusal('22021', 'invalid byte sequence for encoding "UTF8": a lone surrogate');
  return text;
}

function refuseSyntax(title: string, text: string): never {
  throw new Refusal('22P02', `invalid input syntax for type ${title}: "${text}"`);
}
