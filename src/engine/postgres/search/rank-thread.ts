/** The thread that ranks the rows of searches on PostgreSQL. The event loop answers other requests meanwhile. */
import { ApiError } from '../../../base/errors.ts';
import type { Ranking } from '../../../plan/types.ts';
import { rankRows } from '../../search/rank.ts';
import type { RankJob } from '../../search/rank-job.ts';
import type { SearchRead } from '../../search/search-reads.ts';
import { RARER_WORDS, type StepRow, type Steps } from '../../search/steps.ts';
import { type FailedResult, lowerPriority, threadEnded, toThreadResult } from '../../shared/thread.ts';

declare const self: Worker;

/** `end` is not answered. */
export type RankRequest =
  | { readonly kind: 'open' | 'close' }
  | { readonly kind: 'begin'; readonly id: number; readonly job: RankJob; readonly limitMs: number }
  | { readonly kind: 'rows'; readonly id: number; readonly rows: readonly StepRow[] }
  | { readonly kind: 'end'; readonly id: number };
export type RankAnswer =
  | { readonly kind: 'read'; readonly read: SearchRead }
  | { readonly kind: 'ranked'; readonly ranking: Ranking }
  | { readonly kind: 'failed'; readonly outcome: FailedResult };

/** A deadline is a time of performance.now(). */
const searches = new Map<number, { readonly steps: Steps<Ranking, SearchRead>; readonly deadline: number }>();

self.onmessage = ({ data }: MessageEvent<RankRequest>) => {
  switch (data.kind) {
    case 'open':
      return lowerPriority();
    case 'close':
      return self.postMessage({ kind: 'ranked', ranking: { rows: '[]' } } satisfies RankAnswer);
    case 'end':
      return void searches.delete(data.id);
    case 'begin':
      searches.set(data.id, { steps: rankRows(data.job), deadline: performance.now() + data.limitMs });
      return self.postMessage(advance(data.id, []));
    case 'rows':
      return self.postMessage(advance(data.id, data.rows));
  }
};

/** Runs a search to its next read, or to its end. */
function advance(id: number, rows: readonly StepRow[]): RankAnswer {
  const answer = attempt(id, rows);
  if (answer.kind !== 'read') searches.delete(id);
  return answer;
}

function attempt(id: number, rows: readonly StepRow[]): RankAnswer {
  try {
    const search = searches.get(id);
    if (search === undefined) throw threadEnded();
    const { steps, deadline } = search;
    let step = steps.next(rows);
    while (step.done !== true && step.value === undefined) {
      if (performance.now() > deadline) {
        throw new ApiError('57014', 'canceling statement due to statement timeout', { hint: RARER_WORDS });
      }
      step = steps.next([]);
    }
    return step.done === true ? { kind: 'ranked', ranking: step.value } : { kind: 'read', read: step.value! };
  } catch (error) {
    return { kind: 'failed', outcome: toThreadResult(error) };
  }
}
