/** Removes expired entries of the change log in small steps. Any instance may do it, and no write waits for it. */
import { LOG_TABLE, RETAINED_TABLE, UNCHANGED_HOURS } from '../../shared/change-log.ts';
import { query, type Runner } from '../driver.ts';

const ENTRIES_PER_STEP = 1_000;
const CHECK_MS = 60_000;

const PRUNE = `with expired as materialized (
    select max(seq) as seq, max(at) as at from (select seq, at from ${LOG_TABLE} order by seq limit ${ENTRIES_PER_STEP}) as oldest
    where at < now() - make_interval(days => $1::int4)),
  removed as (delete from ${LOG_TABLE} as log using expired where log.seq <= expired.seq returning 1),
  retained as (update ${RETAINED_TABLE} as kept set seq = greatest(kept.seq, expired.seq), at = greatest(kept.at, expired.at)
    from expired where expired.seq is not null),
  unchanged as (delete from ${LOG_TABLE} where seq in (select seq from ${LOG_TABLE} where collection = '' and at < now() - interval '${UNCHANGED_HOURS} hours'
    and seq < (select max(seq) from ${LOG_TABLE}) limit ${ENTRIES_PER_STEP}) returning 1)
  select ((select count(*) from removed) + (select count(*) from unchanged))::int4 as removed`;

export class LogPruner {
  private nextAt = performance.now() + CHECK_MS;

  /** Undefined `days` remove nothing. */
  constructor(private readonly days: number | undefined) {}

  prune(runner: Runner): void {
    if (!this.days || performance.now() < this.nextAt) return;
    this.nextAt = performance.now() + CHECK_MS;
    void this.step(runner).catch(() => undefined);
  }

  /** Returns the number of removed entries. If there may be more, the next write continues. */
  async step(runner: Runner): Promise<number> {
    const [found] = await query<{ removed: number }>(runner, { sql: PRUNE, params: [this.days ?? null] });
    if (found!.removed > 0) this.nextAt = performance.now();
    return found!.removed;
  }
}
