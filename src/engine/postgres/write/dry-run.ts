/**
 * Dry runs. One locks the rows that it would change until it is rolled back, so it has a time limit of its own. If a
 * write of any instance has waited for it for a while, it is canceled, and starts again after that write.
 */
import { ApiError } from '../../../base/errors.ts';
import { DEFAULT_DRY_RUN_SECONDS, DRY_RUN_ATTEMPTS, DRY_RUN_YIELD_MS } from '../../../base/limits/engine.ts';
import { interruptedDryRun, shorterDryRun } from '../../shared/write-checks.ts';
import type { Kind } from '../connections/connection-limits.ts';
import type { Connection, Pool } from '../connections/pool.ts';
import { ADVISORY_LOCKS, query } from '../driver.ts';
import { sqlState } from '../errors.ts';
import type { WriteLimits } from './step.ts';
import { inTransaction } from './transaction.ts';

type Run<T> = (connection: Connection, limits: WriteLimits) => Promise<T>;

export async function dryRun<T>(pool: Pool, kind: Kind, limits: WriteLimits, run: Run<T>): Promise<T> {
  const { dryRunSeconds = DEFAULT_DRY_RUN_SECONDS, querySeconds } = limits;
  const seconds = Math.min(dryRunSeconds, querySeconds);
  for (let attempt = 1; ; attempt++) {
    let wasInterrupted = () => false;
    const work = async (connection: Connection) => {
      const watch = await watchWaiters(pool, connection);
      wasInterrupted = watch.wasInterrupted;
      const limited = async () => {
        const result = await run(connection, { ...limits, querySeconds: seconds });
        // A commit would also check the deferred ones.
        await connection.unsafe('set constraints all immediate');
        return result;
      };
      return connection.withTimeLimit(seconds, querySeconds, limited).finally(watch.end);
    };
    try {
      return await inTransaction(pool, work, false, kind);
    } catch (error) {
      const code = error instanceof ApiError ? error.code : sqlState(error);
      if (code !== '57014') throw error;
      if (!wasInterrupted()) {
        throw new ApiError('57014', 'canceling statement due to statement timeout', { hint: shorterDryRun(seconds) });
      }
      if (attempt === DRY_RUN_ATTEMPTS) throw interruptedDryRun();
    }
  }
}

const BEGIN = `select pg_backend_pid() as pid, pg_advisory_xact_lock_shared(${ADVISORY_LOCKS.dryRun})::text`;

/** Cancels the statement of a dry run when a write has waited for it. */
async function watchWaiters(pool: Pool, connection: Connection) {
  const [{ pid }] = (await query(connection, BEGIN)) as [{ pid: number }];
  let isInterrupted = false;
  let check: Promise<void> | undefined;
  const interrupt = async () => {
    // Without the right to cancel, it runs until its time is up.
    const canceled = await pool.onShared<unknown[]>(cancelIfAwaited(pid)).catch(() => []);
    isInterrupted ||= canceled.length > 0;
    check = undefined;
  };
  // The only connection of a pool is the one of the dry run: a check would wait for its end.
  const { max = 1 } = pool.sql.options;
  const timer = max > 1 ? setInterval(() => (check ??= interrupt()), DRY_RUN_YIELD_MS / 2) : undefined;
  return {
    wasInterrupted: () => isInterrupted,
    /** A late cancellation must not reach the next user of the connection. */
    end: async () => {
      clearInterval(timer);
      await check;
    },
  };
}

function cancelIfAwaited(pid: number): string {
  const dryRuns = `select pid from pg_locks where locktype = 'advisory' and objsubid = 1 and objid = ${ADVISORY_LOCKS.dryRun}`;
  return `select pg_cancel_backend(${pid}) from pg_locks
    where not granted and waitstart < clock_timestamp() - interval '${DRY_RUN_YIELD_MS} ms'
      and ${pid} = any (pg_blocking_pids(pid)) and pid not in (${dryRuns}) limit 1`;
}
