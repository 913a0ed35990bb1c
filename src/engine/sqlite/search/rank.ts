/** Finds the rows of a search on a connection. */
import type { ReadPlan } from '../../../plan/types.ts';
import type { WordIndex } from '../../search/index-tables.ts';
import { rankRows } from '../../search/rank.ts';
import { rankedPlan, rankJobOf } from '../../search/rank-job.ts';
import { compileSearchRead } from '../../search/search-reads.ts';
import { runSteps } from '../../search/steps.ts';
import type { Connection } from '../connection/connection.ts';
import { checkDeadline } from '../connection/deadline.ts';
import { guardedDialect } from '../dialect.ts';

export function rankOn(connection: Connection, index: WordIndex, plan: ReadPlan): ReadPlan {
  const steps = rankRows(rankJobOf(index, plan));
  const ranking = runSteps(
    steps,
    (read) => connection.rows(compileSearchRead(guardedDialect, index, plan, read)),
    checkDeadline,
  );
  return rankedPlan(plan, ranking);
}
