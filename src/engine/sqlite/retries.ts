/** What idempotency keys remember: the result of a write, stored in the same transaction as the write itself. */
import { Refusal } from '../../errors.ts';
import type { WriteResult } from '../engine.ts';
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
  throw new Refusal('CAT422', 'this Idempotency-Key was used for another request', {
    details: 'The method, the URL or the body differs from the first request with this key.',
    hint: 'Use a new key for a new request.',
  });
}

export function rememberResult(connection: Connection, retry: Retry, result: WriteResult): void {
  connection.run({
    sql: `insert into ${RETRY_TABLE} (key, fingerprint, result, created_at) values (?, ?, ?, ?)`,
    params: [retry.key, retry.fingerprint, JSON.stringify(result), Date.now()],
  });
}
