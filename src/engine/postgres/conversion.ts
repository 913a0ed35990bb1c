/** Values of stored rows as they will be after a migration, in SQL; and those that another type cannot read. */
import type { Type } from '../../collection/types/type.ts';
import { Refusal } from '../../errors.ts';
import { CURSOR_ROWS } from '../../limits.ts';
import { identifier } from '../compile/statement.ts';
import type { Coming } from '../migration/question.ts';
import type { ValueSql } from '../migration/question-sql.ts';
import { NOTHING_ADOPTED } from './adoption.ts';
import { postgresDialect } from './dialect.ts';
import { query, quoteText, type Runner } from './driver.ts';
import { defaultSql, literal, ruleConditions } from './schema.ts';

/** For what needs neither folding nor searching. */
const dialect = postgresDialect({ collation: null }, new Set(), NOTHING_ADOPTED);

/** A column as another type: its text form is read again. */
export function converted(column: string, from: Type, to: Type): string {
  return `(${dialect.text(identifier(column), from)})::${to.postgres.name}`;
}

export const postgresValues: ValueSql = {
  value: ({ field, column }) => {
    if (column === undefined)
      return field.generated === undefined ? (defaultSql(field) ?? literal(null, field.type)) : undefined;
    return column.type === field.type ? identifier(column.name) : converted(column.name, column.type, field.type);
  },
  literal,
  keepsRules: (field, sql) => {
    const { pattern } = field.rules;
    const conditions = [
      ...ruleConditions(field, sql),
      ...(pattern === undefined ? [] : [`${sql} ~ ${quoteText(pattern)}`]),
    ];
    return conditions.length === 0 ? undefined : conditions.join(' and ');
  },
};

/** PostgreSQL before 16 cannot tell a text that it could not read: each that occurs is read here, by the type itself. */
export async function countUnreadable(runner: Runner, table: string, { field, column }: Coming): Promise<number> {
  if (column === undefined) return 0;
  const run = <T>(sql: string) => query<T>(runner, { sql, params: [] });
  const text = dialect.text(identifier(column.name), column.type);
  await run(`declare stored_texts no scroll cursor for select ${text} as text, count(*)::text as rows
    from ${identifier(table)} where ${identifier(column.name)} is not null group by 1`);
  let unreadable = 0;
  for (;;) {
    const found = await run<{ text: string; rows: string }>(`fetch ${CURSOR_ROWS} from stored_texts`);
    if (found.length === 0) break;
    for (const each of found) if (!isReadable(field.type, each.text)) unreadable += Number(each.rows);
  }
  await run('close stored_texts');
  return unreadable;
}

function isReadable(type: Type, text: string): boolean {
  try {
    type.store(text);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
