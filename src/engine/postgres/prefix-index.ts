/**
 * Prefix indexes on text. A PostgreSQL index entry holds at most 2.7 kB, and a text may be longer: the index is on its
 * prefix. By code point a text never sorts before its own prefix, so that a comparison or an order may put the prefixes
 * first: the answer is the same, and the index serves it.
 */
import type { Field } from '../../collection/declaration.ts';
import type { Value } from '../../collection/value.ts';
import type { Comparator } from '../../plan/types.ts';
import { identifier } from '../compile/statement.ts';

/** In characters, each of at most four bytes. */
const LENGTH = 500;

export function hasPrefixIndex(field: Field): boolean {
  return field.type === 'text' && field.indexed === true;
}

export function prefix(sql: string): string {
  return `left(${sql}, ${LENGTH})`;
}

export function prefixOf(value: Value): Value {
  if (typeof value !== 'string' || value.length <= LENGTH) return value;
  return [...value.slice(0, LENGTH * 2)].slice(0, LENGTH).join('');
}

const LOOSER: Readonly<Record<Comparator, Comparator | undefined>> = {
  '=': '=',
  '<>': undefined,
  '>': '>=',
  '>=': '>=',
  '<': '<=',
  '<=': '<=',
};

export function comparePrefixes(field: Field, operator: Comparator, value: string): string | undefined {
  const looser = LOOSER[operator];
  if (looser === undefined || !hasPrefixIndex(field)) return undefined;
  const column = identifier(field.name);
  return `(${prefix(column)} ${looser} ${prefix(value)} and ${column} ${operator} ${value})`;
}
