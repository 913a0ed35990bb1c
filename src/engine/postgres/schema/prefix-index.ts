/**
 * Prefix indexes on text. A PostgreSQL index entry holds at most 2.7 kB, so long texts are indexed by prefix. By code
 * point, a text never sorts before its own prefix. So a comparison or order can use the prefixes first: the result is
 * the same, and the index serves it.
 */
import { can } from '../../../collection/types/type.ts';
import type { Value } from '../../../collection/value.ts';
import { type Comparator, type Expression, namedField } from '../../../plan/types.ts';
import type { Operand } from '../../sql/statement.ts';

/** In characters of at most four bytes. */
const LENGTH = 500;

export function hasPrefixIndex(of: Expression): boolean {
  return namedField(of)?.indexed === true && can(of.type, 'text');
}

export function prefix(sql: string): string {
  return `left(${sql}, ${LENGTH})`;
}

export function prefixOf(value: Value): Value {
  if (typeof value !== 'string' || value.length <= LENGTH) return value;
  return [...value.slice(0, LENGTH * 2)].slice(0, LENGTH).join('');
}

export function comparePrefixes({ sql, of }: Operand, operator: Comparator, value: string): string | undefined {
  if (operator === '<>' || !hasPrefixIndex(of)) return undefined;
  const looser = operator.replace(/^[<>]$/, '$&=');
  return `(${prefix(sql)} ${looser} ${prefix(value)} and ${sql} ${operator} ${value})`;
}
