/** Questions about stored rows, in SQL for both engines. */
import type { Field } from '../../collection/declaration.ts';
import type { Type } from '../../collection/types/type.ts';
import type { Value } from '../../collection/value.ts';
import { identifier } from '../sql/statement.ts';
import type { Question, TargetColumn } from './question.ts';

/** The differences between the engines. */
export interface ValueSql {
  /** The future value of a row's field; undefined if each row gets its own. */
  readonly value: (coming: TargetColumn) => string | undefined;
  readonly literal: (value: Value, type: Type) => string;
  /** The condition of the field's rules; undefined if it has none. */
  readonly keepsRules: (field: Field, sql: string) => string | undefined;
}

type Countable = Exclude<Question, { kind: 'unreadable' }>;

/** Returns a count; undefined if no row can conflict. */
export function questionSql(question: Countable, sql: ValueSql): string | undefined {
  const table = identifier(question.table);
  const count = (condition: string) => `select count(*) from ${table} where ${condition}`;
  if (question.kind === 'rows') return `select count(*) from ${table}`;
  if (question.kind === 'values') return count(`${identifier(question.column)} is not null`);
  if (question.kind === 'repeated') return repeatedSql(table, question.of.map(sql.value));
  const value = sql.value(question.of);
  if (value === undefined) return undefined;
  switch (question.kind) {
    case 'nulls':
      return count(`${value} is null`);
    case 'broken': {
      const rules = sql.keepsRules(question.of.field, value);
      return rules === undefined ? undefined : count(`not (${rules})`);
    }
    case 'dangling':
      return count(danglingSql(value, question.to, sql));
  }
}

/** Counts all but one of the rows that share a value. */
function repeatedSql(table: string, values: readonly (string | undefined)[]): string | undefined {
  const known = values.filter((value) => value !== undefined);
  if (known.length < values.length) return undefined;
  const given = known.map((value) => `${value} is not null`).join(' and ');
  const groups = `select count(*) - 1 as more from (select ${known.map((value, index) => `${value} as v${index}`).join(', ')} from ${table} where ${given}) as given
    group by ${known.map((_, index) => `v${index}`).join(', ')} having count(*) > 1`;
  return `select coalesce(sum(more), 0) from (${groups}) as repeated`;
}

/** A condition on the referencing row. */
export function danglingSql(
  value: string,
  to: Extract<Question, { kind: 'dangling' }>['to'],
  sql: Pick<ValueSql, 'literal' | 'value'>,
): string {
  if ('keys' in to) {
    const keys = to.keys.map((key) => sql.literal(key, to.type)).join(', ');
    return keys === '' ? `${value} is not null` : `${value} not in (${keys})`;
  }
  const key = sql.value(to.key) ?? 'null';
  return `${value} is not null and ${value} not in (select ${key} from ${identifier(to.table)} where ${key} is not null)`;
}
