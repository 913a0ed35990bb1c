/** PostgreSQL's query plan of a read, as JSON and as text. */
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
): Promise<Explanation> {
  const { sql, params } = compileRead(plan, { form: 'json', stripNulls: false }, dialect);
  const explain = (format: string) =>
    query<Line>(runner, { sql: `explain (${[`format ${format}`, ...options].join(', ')}) ${sql}`, params });
  const [json] = await explain('json');
  const lines = await explain('text');
  return { options, json: json?.['QUERY PLAN'], text: [sql, ...lines.map((line) => line['QUERY PLAN'])].join('\n') };
}
