/** PostgreSQL's own plan for a read, as JSON and as text. */
import type { SQL } from 'bun';
import type { ReadPlan } from '../../plan/types.ts';
import { compileRead } from '../compile/read.ts';
import type { SqlDialect } from '../compile/statement.ts';
import type { Explanation } from '../engine.ts';
import { query } from './driver.ts';

interface Line {
  readonly 'QUERY PLAN': unknown;
}

export async function explainRead(pool: SQL, plan: ReadPlan, dialect: SqlDialect): Promise<Explanation> {
  const { sql, params } = compileRead(plan, { form: 'json', stripNulls: false }, dialect);
  const [json] = await query<Line>(pool, { sql: `explain (format json) ${sql}`, params });
  const lines = await query<Line>(pool, { sql: `explain ${sql}`, params });
  return { json: json?.['QUERY PLAN'], text: [sql, ...lines.map((line) => line['QUERY PLAN'])].join('\n') };
}
