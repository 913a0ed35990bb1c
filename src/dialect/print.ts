/** Prints names, fields and values in the syntax of a query string. Parsing the result gives the same. */
import { isLogicKey } from './logic.ts';
import { quote } from './names.ts';
import { isParameter } from './query.ts';
import type { FieldPath } from './tree.ts';

/** A field of the row, or a figure of related rows. */
export function printField({ name, json, figure }: FieldPath): string {
  const field = `${printName(name)}${json.map(({ arrow, key }) => `${arrow}${printName(key)}`).join('')}`;
  if (figure === undefined) return field;
  const { embed, aggregate } = figure;
  if (name === '') return `${printName(embed)}.count()`;
  return `${printName(embed)}.${field}.${aggregate === 'distinct' ? 'count(distinct)' : `${aggregate}()`}`;
}

/** Quotes a name unless it is plain and unambiguous. */
export function printName(name: string): string {
  const isPlain = /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) && !isParameter(name) && !isLogicKey(name) && name !== 'not';
  return isPlain ? name : quote(name);
}

/** A value in a logic tree. A list in braces is parsed as a whole; any other brace needs quotes. */
export function printValue(value: string): string {
  if (/^\{[^{}]*\}$/.test(value)) return value;
  return /[,(){}"\\]/.test(value) || value === '' ? quote(value) : value;
}

/** Encodes a part of a query string, but keeps characters that it allows, so that links stay readable. */
export function encodeValue(text: string): string {
  return encodeURIComponent(text).replace(/%(2C|3A|24|40|2F)/g, (escaped) => decodeURIComponent(escaped));
}
