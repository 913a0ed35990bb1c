/**
 * Indexes on text. A PostgreSQL index entry holds at most 2.7 kB, and a text may be longer: the index is on its beginning.
 * By code point a text never sorts before its own beginning, so that a comparison or an order may put the beginnings
 * first: the answer is the same, and the index serves it.
 */
import type { Field } from '../../collection/declaration.ts';
import type { Value } from '../../collection/value.ts';
import type { Comparator } from '../../plan/types.ts';
import { identifier } from '../compile/statement.ts';

/** In characters, each of at most four bytes. */
const LENGTH = 500;

export function hasBeginning(field: Field): boolean {
  return field.type === 'text' && field.indexed === true;
}

export function beginning(sql: string): string {
  return `left(${sql}, ${LENGTH})`;
}

export function beginningOf(value: Value): Value {
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

export function compareBeginnings(field: Field, operator: Comparator, value: string): string | undefined {
  const looser = LOOSER[operator];
  if (looser === undefined || !hasBeginning(field)) return undefined;
  const column = identifier(field.name);
  return `(${beginning(column)} ${looser} ${beginning(value)} and ${column} ${operator} ${value})`;
}
