/** PostgreSQL's query plan of a read, as JSON or as text. With `analyze` PostgreSQL executes the read. */
import type { ReadPlan } from '../../../plan/types.ts';
import type { Explanation, PlanOption } from '../../engine.ts';
import { compileRead } from '../../sql/read.ts';
import type { SqlDialect } from '../../sql/statement.ts';
import { query, type Runner } from '../driver.ts';

interface Line {
  readonly 'QUERY PLAN': unknown;
}

export async function explainRead(
  runner: Runner,
  plan: ReadPlan,
  dialect: SqlDialect,
  options: readonly PlanOption[],
  format: 'json' | 'text',
): Promise<Explanation> {
  const { sql, params } = compileRead(plan, { form: 'json', stripNulls: false }, dialect);
  const explained = `explain (${[`format ${format}`, ...options].join(', ')}) ${sql}`;
  const lines = (await query<Line>(runner, { sql: explained, params })).map((line) => line['QUERY PLAN']);
  return { options, plan: format === 'json' ? lines[0] : [sql, ...lines].join('\n') };
}
