/**
 * A dry run has the rows locked that it would change, until it is rolled back. It stores nothing, and so it gives way: once somebody,
 * on whichever instance, has waited for it long enough, it is ended, and begun anew.
 */
import type { SQL } from 'bun';
import { DRY_RUN_GIVES_WAY_MS } from '../../limits.ts';
import type { Statement } from '../compile/statement.ts';
import { gaveWayTooOften } from '../terms.ts';
import { query, type Runner, run } from './driver.ts';
import { sqlState } from './refusals.ts';

const LOOK_MS = DRY_RUN_GIVES_WAY_MS / 2;

class GaveWay extends Error {}

type Steps<T> = (connection: Runner) => Promise<T>;

/** `transact` carries out steps in a transaction that is rolled back. All attempts together have the time of one. */
export async function givingWay<T>(
  pool: SQL,
  limitMs: number,
  transact: (steps: Steps<T>) => Promise<T>,
  steps: Steps<T>,
): Promise<T> {
  let leftMs = limitMs;
  for (;;) {
    let began = performance.now();
    try {
      return await transact(async (connection) => {
        began = performance.now();
        if (leftMs < limitMs) await run(connection, `set local statement_timeout = ${Math.ceil(leftMs)}`);
        return await watched(pool, connection, steps);
      });
    } catch (error) {
      const isLate = leftMs < limitMs && sqlState(error) === '57014';
      if (!(error instanceof GaveWay)) throw isLate ? gaveWayTooOften() : error;
      leftMs -= performance.now() - began;
      if (leftMs <= 0) throw gaveWayTooOften();
    }
  }
}

async function watched<T>(pool: SQL, connection: Runner, steps: Steps<T>): Promise<T> {
  const [{ pid }] = (await query(connection, OWN_PROCESS)) as [{ pid: number }];
  let looking: Promise<void> | undefined;
  let isEnded = false;
  const look = async () => {
    // Where it cannot be told who waits, as on a database that is no PostgreSQL, nobody is given way to.
    const told = await query(pool, endIfAwaited(pid)).catch(() => []);
    isEnded ||= told.length > 0;
    looking = undefined;
  };
  const timer = setInterval(() => (looking ??= look()), LOOK_MS);
  try {
    return await steps(connection);
  } catch (error) {
    await looking;
    throw isEnded && sqlState(error) === '57014' ? new GaveWay() : error;
  } finally {
    clearInterval(timer);
    // What ends it must not meet what comes after it on this connection.
    await looking;
  }
}

const OWN_PROCESS: Statement = { sql: 'select pg_backend_pid() as pid', params: [] };

function endIfAwaited(pid: number): Statement {
  const sql = `select pg_cancel_backend($1) from pg_locks
    where not granted and waitstart < clock_timestamp() - $2 * interval '1 millisecond' and $1 = any (pg_blocking_pids(pid))
    limit 1`;
  return { sql, params: [pid, DRY_RUN_GIVES_WAY_MS] };
}
