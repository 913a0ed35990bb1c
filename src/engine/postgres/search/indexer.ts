/** Keeps the word index of declared searches up to date, and ranks the rows of a search. */
import type { Encoding } from '../../../encode/encoding.ts';
import type { ReadPlan } from '../../../plan/types.ts';
import type { ReadResult } from '../../engine.ts';
import { wordIndexOf } from '../../search/index-tables.ts';
import { indexIncomplete } from '../../search/rank.ts';
import { rankedPlan, rankJobOf } from '../../search/rank-job.ts';
import { compileSearchRead, type SearchRead } from '../../search/search-reads.ts';
import { sharedRuns } from '../../search/steps.ts';
import { withRelatedFirst } from '../../shared/plan-keys.ts';
import type { Database } from '../database.ts';
import { query, type Runner } from '../driver.ts';
import { readSearch } from '../read/reads.ts';
import { Ranker } from './ranker.ts';
import { compactIndex, hasStaleRows, indexWords, newestStale, vacuumIndex } from './word-index.ts';

/** The time from a write until rows are indexed for searches. */
const INDEX_MS = 3_000;

export class Indexer {
  readonly hasSearch: boolean;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private indexed: Promise<void> = Promise.resolve();
  private isClosed = false;

  constructor(
    private readonly database: Database,
    readonly ranker = new Ranker(),
  ) {
    const { collections } = database.options.catalogue.draft;
    this.hasSearch = collections.some(({ search }) => search !== undefined);
    database.opened.then(() => this.indexSoon()).catch(() => undefined);
  }

  /** Searches share a run, so that they do not hold the connections of writes. */
  private readonly indexNext = sharedRuns(async (name) => {
    const { options, primary, dialect } = this.database;
    await indexWords(await primary.getPool(), dialect, wordIndexOf(options.catalogue.collections.get(name)!)!);
  });

  /** Indexes rows that changed, soon after writes: all of them after a migration. A search reports errors. */
  indexSoon(): void {
    if (!this.hasSearch || this.isClosed) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.indexed = this.indexed.then(() => this.indexAll()).catch(() => undefined);
    }, INDEX_MS);
  }

  private async indexAll(): Promise<void> {
    const { options, executor, notice } = this.database;
    for (const collection of options.catalogue.collections.values()) {
      const index = wordIndexOf(collection);
      if (index === undefined) continue;
      await executor.onPrimary(async (pool) => {
        const newest = await newestStale(pool, index);
        await vacuumIndex(pool, index, notice);
        while (!this.isClosed && (await hasStaleRows(pool, index, newest))) {
          await this.indexNext(collection.name);
          await vacuumIndex(pool, index, notice);
        }
        await compactIndex(pool, this.database.dialect, index, () => this.isClosed);
      });
    }
  }

  /** Indexes rows that changed, finds the rows of the search, and reads them. */
  search(plan: ReadPlan, encoding: Encoding): Promise<ReadResult> {
    const { database } = this;
    const index = wordIndexOf(plan.from)!;
    const deadline = performance.now() + database.options.querySeconds * 1000;
    return database.executor.onPrimary(async (pool) => {
      const newest = await newestStale(pool, index);
      while (await hasStaleRows(pool, index, newest)) {
        if (performance.now() > deadline) throw indexIncomplete();
        await this.indexNext(plan.from.name);
        // The writes of others also leave rows to vacuum and words to remove.
        this.indexSoon();
      }
      const { dialect } = database;
      const rank = async (connection: Runner) => {
        const run = (read: SearchRead) => query(connection, compileSearchRead(dialect, index, plan, read));
        const ranking = await this.ranker.rank(rankJobOf(index, plan), deadline - performance.now(), run);
        return { plan: withRelatedFirst(rankedPlan(plan, ranking)), dialect, encoding };
      };
      return readSearch(pool, rank);
    });
  }

  stop(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }
}
