/**
 * Results of idempotency keys, stored in the transaction of the write. The key is taken first: a second request with it
 * waits, on any instance, until the first has ended.
 */
import { ApiError } from '../../../base/errors.ts';
import type { Retry } from '../../../plan/write-plan.ts';
import type { WriteResult } from '../../engine.ts';
import { replayedResults, storedAnswer } from '../../shared/stored-answers.ts';
import { idempotencyKeyReused } from '../../shared/write-checks.ts';
import { query, type Runner } from '../driver.ts';
import { sqlState } from '../errors.ts';
import { RETRY_TABLE } from '../schema/inspect.ts';
import { Pruner } from './pruner.ts';

const SWEEP_MS = 10 * 60_000;
const MAX_SWEPT_KEYS = 10_000;

/** The earlier results, if any; otherwise the key is reserved until the transaction ends. */
export async function takeKey(
  runner: Runner,
  retry: Retry,
  hours: number,
): Promise<readonly WriteResult[] | undefined> {
  const { key, fingerprint } = retry;
  const inserted = await query(runner, {
    sql: `insert into ${RETRY_TABLE} as stored (key, fingerprint, created_at) values ($1::text, $2::text, now())
      on conflict (key) do update set fingerprint = excluded.fingerprint, result = null, created_at = now()
      where stored.created_at < now() - make_interval(hours => $3::int4) returning 1`,
    params: [key, fingerprint, hours],
  }).catch((error) => {
    // The first request with this key did not end in time.
    throw sqlState(error) === '57014' ? keyInUse() : error;
  });
  if (inserted.length > 0) return undefined;
  const [stored] = await query<{ fingerprint: string; result: string }>(runner, {
    sql: `select fingerprint, result from ${RETRY_TABLE} where key = $1::text`,
    params: [key],
  });
  // It was pruned between the two statements, so it can be taken now.
  if (stored === undefined) return takeKey(runner, retry, hours);
  if (stored.fingerprint !== fingerprint) throw idempotencyKeyReused();
  return replayedResults(stored.result);
}

function keyInUse(): ApiError {
  return new ApiError('CAT409', 'a request with this Idempotency-Key is under way', {
    details: 'Nothing was changed by this one.',
    hint: 'Send it again in a moment: then it is answered as the first one was, or done.',
    headers: { 'retry-after': '2' },
  });
}

/** `store` is what the quota of stored answers is counted for. */
export async function rememberResults(
  runner: Runner,
  retry: Retry,
  results: readonly WriteResult[],
  { store, hours }: { readonly store: object; readonly hours: number },
): Promise<void> {
  await query(runner, {
    sql: `update ${RETRY_TABLE} set result = $2::text where key = $1::text`,
    params: [retry.key, storedAnswer(store, retry, results, hours)],
  });
}

/** Adopted tables are served without our own tables, until someone asks for one. */
export function noIdempotencyTable(): ApiError {
  return new ApiError('CAT501', 'this database has no table for idempotency keys', {
    nothingChanged: true,
    hint: 'Send the request without Idempotency-Key, or make the table: catalogue migrate.',
  });
}

/** Removes the keys that are older than a number of hours. */
export function keyPruner(hours: number): Pruner {
  const old = `select key from ${RETRY_TABLE} where created_at < now() - make_interval(hours => $1::int4) limit ${MAX_SWEPT_KEYS} for update skip locked`;
  const sql = `with removed as (delete from ${RETRY_TABLE} where key in (${old}) returning 1) select count(*)::int4 as removed from removed`;
  return new Pruner({ sql, params: [hours] }, MAX_SWEPT_KEYS, SWEEP_MS);
}
