/** The ranking thread as the event loop sees it. The event loop runs the statements, since it has the connections. */
import type { Ranking } from '../../../plan/types.ts';
import type { RankJob } from '../../search/rank-job.ts';
import type { SearchRead } from '../../search/search-reads.ts';
import type { StepRow } from '../../search/steps.ts';
import { failure, Thread } from '../../shared/thread.ts';
import type { RankAnswer, RankRequest } from './rank-thread.ts';

export class Ranker {
  private lastId = 0;
  private readonly thread = new Thread<RankRequest, RankAnswer>({
    file: new URL('./rank-thread.ts', import.meta.url),
    opening: { kind: 'open' },
    words: { details: 'Nothing was read.' },
  });

  async rank(job: RankJob, limitMs: number, run: (read: SearchRead) => Promise<readonly StepRow[]>): Promise<Ranking> {
    const id = ++this.lastId;
    let answer = await this.thread.ask({ kind: 'begin', id, job, limitMs });
    while (answer.kind === 'read') {
      const rows = await run(answer.read).catch((error) => {
        this.thread.tell({ kind: 'end', id });
        throw error;
      });
      // The driver's list has properties that cannot be sent.
      answer = await this.thread.ask({ kind: 'rows', id, rows: [...rows] });
    }
    if (answer.kind === 'failed') throw failure(answer.outcome);
    return answer.ranking;
  }

  close(): Promise<void> {
    return this.thread.close({ kind: 'close' });
  }
}
