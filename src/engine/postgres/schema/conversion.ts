/** SQL for values of stored rows after a migration, and the obstacles that the rows are to it. */
import { CURSOR_ROWS } from '../../../base/limits/engine.ts';
import type { Type } from '../../../collection/types/type.ts';
import {
  computedValue,
  type Question,
  questionSql,
  type TargetColumn,
  type ValueSql,
} from '../../migration/question.ts';
import { assess, type Problem } from '../../migration/risks.ts';
import { blockedBy } from '../../migration/words.ts';
import { isReadable } from '../../shared/sql-expressions.ts';
import { identifier, quoteText } from '../../sql/statement.ts';
import { NOTHING_ADOPTED } from '../adopt/adopt.ts';
import { postgresDialect } from '../dialect.ts';
import type { Runner } from '../driver.ts';
import type { PostgresRequirement, SchemaState } from './compare-schema.ts';
import { computedSql, literal } from './computed.ts';
import { defaultSql, ruleSql } from './schema.ts';

/** For SQL without case folding or search. */
const dialect = postgresDialect({ collation: null }, new Set(), NOTHING_ADOPTED);

/** Converts a column to another type by its text form. */
export function convertColumn(column: string, from: Type, to: Type): string {
  // Elements of an array are rounded only if the cast states their digits.
  const ofDecimals = /^decimal(\(.*\)\[\])$/.exec(to.name);
  return `(${dialect.text(identifier(column), from)})::${ofDecimals === null ? to.postgres.name : `numeric${ofDecimals[1]}`}`;
}

export const postgresValues: ValueSql = {
  value: (target) => {
    const { field, column, computed } = target;
    if (computed !== undefined) {
      return computedValue(target, postgresValues, (_, columnOf) => computedSql(field, columnOf));
    }
    if (column === undefined)
      return field.generated === undefined ? (defaultSql(field) ?? literal(null, field.type)) : undefined;
    return column.type === field.type ? identifier(column.name) : convertColumn(column.name, column.type, field.type);
  },
  matches: (sql, pattern) => `${sql} ~ ${quoteText(pattern)}`,
  ...ruleSql,
};

/** PostgreSQL before 16 cannot test whether a text parses: each distinct one is parsed here by the type itself. */
async function countUnreadable(runner: Runner, table: string, { field, column }: TargetColumn): Promise<number> {
  if (column === undefined) return 0;
  const text = dialect.text(identifier(column.name), column.type);
  await runner.unsafe(`declare stored_texts no scroll cursor for select ${text} as text, count(*)::text as rows
    from ${identifier(table)} where ${identifier(column.name)} is not null group by 1`);
  let unreadable = 0;
  for (;;) {
    const found = await runner.unsafe<{ text: string; rows: string }[]>(`fetch ${CURSOR_ROWS} from stored_texts`);
    if (found.length === 0) break;
    for (const each of found) if (!isReadable(field.type, each.text)) unreadable += Number(each.rows);
  }
  await runner.unsafe('close stored_texts');
  return unreadable;
}

export async function problemsIn(
  runner: Runner,
  { firstRows, allowed = [] }: PostgresRequirement,
  { problems, comparison }: SchemaState,
): Promise<readonly Problem[]> {
  // Questions about a table that does not match could fail.
  if (problems.length > 0) return problems;
  const assessment = assess(comparison, firstRows);
  let asked = assessment.next();
  while (asked.done !== true) asked = assessment.next(await answer(runner, asked.value));
  return blockedBy(asked.value, allowed);
}

async function answer(runner: Runner, question: Question): Promise<number> {
  if (question.kind === 'unreadable') return countUnreadable(runner, question.table, question.of);
  const sql = questionSql(question, postgresValues);
  if (sql === undefined) return 0;
  const [row] = await runner.unsafe<{ count: string }[]>(`select (${sql})::text as count`);
  return Number(row!.count);
}
