/** Stores the results of writes by their idempotency keys, in the transaction of the write. */
import type { Retry } from '../../../plan/types.ts';
import type { WriteResult } from '../../engine.ts';
import { replayedResults, storedAnswer } from '../../shared/stored-answers.ts';
import { idempotencyKeyReused } from '../../shared/write-checks.ts';
import type { Connection } from '../connection/connection.ts';
import { RETRY_TABLE } from '../schema/schema.ts';

export function recallResults(connection: Connection, retry: Retry, hours: number): readonly WriteResult[] | undefined {
  const oldest = Date.now() - hours * 3_600_000;
  connection.run({ sql: `delete from ${RETRY_TABLE} where created_at < ?`, params: [oldest] });
  const [kept] = connection.rows({
    sql: `select fingerprint, result from ${RETRY_TABLE} where key = ?`,
    params: [retry.key],
  });
  if (kept === undefined) return undefined;
  if (kept.fingerprint === retry.fingerprint) return replayedResults(kept.result as string);
  throw idempotencyKeyReused();
}

export function rememberResults(
  connection: Connection,
  retry: Retry,
  results: readonly WriteResult[],
  hours: number,
): void {
  connection.run({
    sql: `insert into ${RETRY_TABLE} (key, fingerprint, result, created_at) values (?, ?, ?, ?)`,
    params: [retry.key, retry.fingerprint, storedAnswer(connection, retry, results, hours), Date.now()],
  });
}
