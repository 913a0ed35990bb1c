/** Compiles a costly read for a thread, with deadline checks. */
import { defined } from '../../../base/defined.ts';
import type { Row } from '../../../collection/value.ts';
import { WHOLE_ROW_JSON } from '../../../plan/read/read.ts';
import { fieldOf, isAlways, type ReadPlan } from '../../../plan/types.ts';
import { joinText } from '../../row-store.ts';
import { readsOtherCollections } from '../../shared/plan-keys.ts';
import { compileSummary } from '../../sql/facets.ts';
import { pageEndNames } from '../../sql/output.ts';
import { compileCount, compilePageEnd, compileRead } from '../../sql/read.ts';
import type { Statement } from '../../sql/statement.ts';
import { guardedDialect, sqliteDialect } from '../dialect.ts';
import { hashGroups } from '../read/hash-groups.ts';
import type { Read } from '../read/read.ts';
import { prefilterDialect } from '../search/index-candidates.ts';
import type { ReadPool } from './read-pool.ts';
import type { ReadAttempt, ReadJob } from './reader.ts';

export function compileReadJob(
  { plan, encoding, output, dialect: own }: Pick<Read, 'plan' | 'encoding' | 'output' | 'dialect'>,
  preferred: ReadAttempt | undefined,
): ReadJob {
  const { offset, limit } = plan;
  // Counting all rows along an index is much faster than checking the deadline per row.
  const counts = own ?? (isAlways(plan.where) ? sqliteDialect : prefilterDialect(plan.from));
  const dialect = own ?? (isCount(plan) ? counts : isWalk(plan) ? sqliteDialect : guardedDialect);
  const groups = own === undefined ? hashGroups(plan) : undefined;
  // Rows that a condition excludes are not in a group, so they are counted separately.
  const hash = groups && compileRead(plan, output, isAlways(plan.where) ? sqliteDialect : guardedDialect, { groups });
  const attempts = [preferred, hash && { statement: hash }, { statement: compileRead(plan, output, dialect) }];
  return {
    attempts: attempts.filter((each) => each !== undefined),
    count: compileCount(plan, counts),
    wantsTotal: plan.count !== undefined,
    ...defined({ summary: compileSummary(plan, own ?? prefilterDialect(plan.from)) }),
    offset,
    ...(limit === undefined ? {} : { limit }),
    endNames: pageEndNames(plan, output),
    ...compilePageEnd(plan, own ?? prefilterDialect(plan.from)),
    encoding,
    form: output.form,
  };
}

/** The rows of a statement that may take long. */
export async function readOnce(statement: Statement, readers: ReadPool): Promise<readonly Row[]> {
  const job = { attempts: [{ statement }], count: NO_COUNT, wantsTotal: false, offset: 0, form: 'plain' } as const;
  const { body } = await readers.read({ ...job, encoding: WHOLE_ROW_JSON });
  return JSON.parse(typeof body === 'string' ? body : await joinText(body)) as readonly Row[];
}

const NO_COUNT: Statement = { sql: 'select 0', params: [] };

/** A walk along the table, in which rows are counted as they are returned. */
function isWalk(plan: ReadPlan): boolean {
  const { from, where, order, groupBy, offset } = plan;
  if (groupBy !== undefined || offset > 0 || !isAlways(where) || readsOtherCollections(plan)) return false;
  return order.length === 1 && from.assigned !== undefined && fieldOf(order[0]!.expression) === from.assigned;
}

/** Only a row count. */
function isCount({ groupBy, columns }: ReadPlan): boolean {
  return groupBy?.length === 0 && columns.every(({ expression }) => expression.kind === 'count');
}
