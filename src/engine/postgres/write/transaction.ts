/** One write as one transaction. Only a failure of the commit leaves its result unknown. */
import type { ReservedSQL, SQL } from 'bun';
import { type Kind, takeSlot } from '../connections/connection-limits.ts';
import { release } from '../connections/connection-memory.ts';
import { query, type Runner, reserve, run, within } from '../driver.ts';
import { isTransient, surelyUndone, unconfirmed } from '../errors.ts';

export const MAX_ATTEMPTS = 5;
/** A slower write may have waited for a standby, and the wait may have been cancelled. */
const SUSPICIOUS_MS = 250;

/** Begins, works, and commits or rolls back. */
export async function inTransaction<T>(
  pool: SQL,
  work: (connection: Runner) => Promise<T>,
  keep: boolean,
  kind: Kind = 'write',
  committed: Confirm = async () => {},
): Promise<T> {
  const giveBack = await takeSlot(pool, kind);
  try {
    return await transact(pool, work, keep, committed);
  } finally {
    giveBack();
  }
}

/** Called with the duration of the write on its connection. */
type Confirm = (connection: ReservedSQL, milliseconds: number) => Promise<void>;

async function transact<T>(
  pool: SQL,
  work: (connection: Runner) => Promise<T>,
  keep: boolean,
  committed: Confirm,
): Promise<T> {
  const connection = await reserve(pool);
  const started = performance.now();
  let result: T;
  try {
    await run(connection, 'begin');
    result = await work(connection);
    if (!keep) await run(connection, 'rollback');
  } catch (error) {
    await giveUp(connection);
    throw error;
  }
  try {
    if (keep) await run(connection, 'commit');
  } catch (error) {
    await giveUp(connection);
    // A deferred constraint or a conflict: the server answered, so nothing is stored. Silence proves nothing.
    throw surelyUndone(error) ? error : new UnconfirmedCommit(error);
  }
  if (keep) await committed(connection, performance.now() - started);
  await release(connection);
  return result;
}

/**
 * A server that waits for its synchronous standby gives up the wait, not the write, when somebody cancels it (pg_cancel_backend), and
 * then answers as if all were well but for a warning, which the driver does not pass on. A write that was quick was not waited for by
 * anybody who could cancel it. One that was not is confirmed by a later commit: the log is replicated in its order.
 */
export async function confirm(connection: ReservedSQL, milliseconds: number, limit: number): Promise<void> {
  if (milliseconds < SUSPICIOUS_MS) return;
  const statement = {
    sql: `select pg_logical_emit_message(true, 'catalogue', '') where current_setting('synchronous_standby_names') <> ''
      and current_setting('synchronous_commit') not in ('off', 'local')`,
    params: [],
  };
  await within(Math.max(SUSPICIOUS_MS, limit - milliseconds), query(connection, statement)).catch(() => {
    // It may wait as long as the standby is down.
    void connection.close({ timeout: 0 }).catch(() => undefined);
    throw new UnconfirmedCommit(undefined);
  });
}

/** It is unknown whether the write is stored. */
export class UnconfirmedCommit extends Error {
  readonly refusal = unconfirmed();

  constructor(override readonly cause: unknown) {
    super('the commit was not confirmed');
  }
}

/** Repeats the work a few times after conflicts with other transactions. */
export async function retryOnConflict<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || attempt === MAX_ATTEMPTS) throw error;
      await pauseBefore(attempt);
    }
  }
}

export function pauseBefore(attempt: number): Promise<void> {
  return Bun.sleep(Math.random() * 10 * 2 ** attempt);
}

async function giveUp(connection: ReservedSQL): Promise<void> {
  try {
    await run(connection, 'rollback');
    await release(connection);
  } catch {
    await connection.close({ timeout: 0 }).catch(() => undefined);
  }
}
