/** Stores the results of writes by their idempotency keys, in the transaction of the write. */
import type { Retry } from '../../../plan/types.ts';
import type { WriteResult } from '../../engine.ts';
import { storedAnswer } from '../../shared/stored-answers.ts';
import { idempotencyKeyReused } from '../../shared/write-checks.ts';
import type { Connection } from '../connection/connection.ts';
import { RETRY_TABLE } from '../schema/schema.ts';

export function recallResult(connection: Connection, retry: Retry, hours: number): WriteResult | undefined {
  const oldest = Date.now() - hours * 3_600_000;
  connection.run({ sql: `delete from ${RETRY_TABLE} where created_at < ?`, params: [oldest] });
  const [kept] = connection.rows({
    sql: `select fingerprint, result from ${RETRY_TABLE} where key = ?`,
    params: [retry.key],
  });
  if (kept === undefined) return undefined;
  if (kept.fingerprint === retry.fingerprint) return JSON.parse(kept.result as string) as WriteResult;
  throw idempotencyKeyReused();
}

export function rememberResult(connection: Connection, retry: Retry, result: WriteResult, hours: number): void {
  connection.run({
    sql: `insert into ${RETRY_TABLE} (key, fingerprint, result, created_at) values (?, ?, ?, ?)`,
    params: [retry.key, retry.fingerprint, storedAnswer(connection, retry, result, hours), Date.now()],
  });
}
