/** What idempotency keys remember: the result of a write, stored in the same transaction as the write itself. */
import type { WriteResult } from '../engine.ts';
import { keyUsedOtherwise } from '../terms.ts';
import type { Connection } from './connection.ts';
import { RETRY_TABLE } from './schema.ts';

interface Retry {
  readonly key: string;
  readonly fingerprint: string;
}

export function recallResult(connection: Connection, retry: Retry, hours: number): WriteResult | undefined {
  const oldest = Date.now() - hours * 3_600_000;
  connection.run({ sql: `delete from ${RETRY_TABLE} where created_at < ?`, params: [oldest] });
  const [kept] = connection.rows({
    sql: `select fingerprint, result from ${RETRY_TABLE} where key = ?`,
    params: [retry.key],
  });
  if (kept === undefined) return undefined;
  if (kept.fingerprint === retry.fingerprint) return JSON.parse(kept.result as string) as WriteResult;
  throw keyUsedOtherwise();
}

export function rememberResult(connection: Connection, retry: Retry, result: WriteResult): void {
  connection.run({
    sql: `insert into ${RETRY_TABLE} (key, fingerprint, result, created_at) values (?, ?, ?, ?)`,
    params: [retry.key, retry.fingerprint, JSON.stringify(result), Date.now()],
  });
}
