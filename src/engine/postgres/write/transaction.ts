/** One write as one transaction. Only a failure of the commit leaves its result unknown. */
import { ApiError } from '../../../base/errors.ts';
import type { Kind } from '../connections/connection-limits.ts';
import type { Connection, Pool } from '../connections/pool.ts';
import { query, within } from '../driver.ts';
import { isStaleStatement, isSurelyUndone, sqlState, unconfirmed } from '../errors.ts';

/** A slower write may have waited for a standby, and the wait may have been cancelled. */
const SUSPICIOUS_MS = 250;

export const ONE_SNAPSHOT = 'begin isolation level repeatable read read only';

/** Begins, works, and commits or rolls back. Confirms the commit within `limitMs`, if that is set. */
export async function inTransaction<T>(
  pool: Pool,
  work: (connection: Connection) => Promise<T>,
  keep: boolean,
  kind: Kind = 'write',
  limitMs?: number,
  begin: 'begin' | 'begin read only' | typeof ONE_SNAPSHOT = 'begin',
): Promise<T> {
  const connection = await pool.reserve(kind);
  const startedAt = performance.now();
  let isCommitting = false;
  let result: T;
  try {
    await connection.unsafe(pool.begin(begin));
    result = await work(connection);
    isCommitting = keep;
    await connection.unsafe(keep ? 'commit' : 'rollback');
  } catch (error) {
    if (isStaleStatement(error)) pool.session?.onMisfit?.();
    await connection.unsafe('rollback').then(
      () => connection.release(),
      () => connection.close(),
    );
    // A deferred constraint or a conflict: the server answered, so nothing is stored. Silence proves nothing.
    throw !isCommitting || isSurelyUndone(error) ? error : new UnconfirmedCommit(error);
  }
  if (keep && limitMs !== undefined) await confirm(connection, startedAt, limitMs);
  await connection.release();
  return result;
}

/** Works in a transaction in which functions cannot change data. */
export async function readOnly<T>(
  pool: Pool,
  work: (connection: Connection) => Promise<T>,
  kind: Kind = 'costly read',
): Promise<T> {
  try {
    return await inTransaction(pool, work, false, kind, undefined, 'begin read only');
  } catch (error) {
    // The same error of a write would mean that the server is a standby.
    if (sqlState(error) !== '25006') throw error;
    throw new ApiError('25006', (error as Error).message, {
      hint: 'The function changes data: call it by POST, and create it as volatile.',
      headers: { allow: 'OPTIONS, POST' },
    });
  }
}

/**
 * Confirms a slow commit on a server with a synchronous standby. If somebody cancels the wait for the standby
 * (pg_cancel_backend), the server keeps the write and reports success with a warning, which the driver does not pass
 * on. Nobody could cancel a quick write. A later commit confirms a slow one, because the log is replicated in its
 * order.
 */
export async function confirm(connection: Connection, startedAt: number, limitMs: number): Promise<void> {
  const elapsed = performance.now() - startedAt;
  if (elapsed < SUSPICIOUS_MS) return;
  const sql = `select pg_logical_emit_message(true, 'catalogue', '') where current_setting('synchronous_standby_names') <> ''
      and current_setting('synchronous_commit') not in ('off', 'local')`;
  await within(Math.max(SUSPICIOUS_MS, limitMs - elapsed), query(connection, sql)).catch(async () => {
    // It may wait as long as the standby is down.
    await connection.close();
    throw new UnconfirmedCommit(undefined);
  });
}

/** It is unknown whether the write is stored. */
export class UnconfirmedCommit extends Error {
  readonly response = unconfirmed();

  constructor(override readonly cause: unknown) {
    super('the commit was not confirmed');
  }
}
