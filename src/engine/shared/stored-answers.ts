/**
 * Bounds what idempotency keys store. A short request may be answered with many rows, so an answer is stored only up to
 * a size, and up to a quota of each caller. Beyond that a key still remembers what was done, without the rows.
 */
import { MAX_STORED_ANSWERS_BYTES } from '../../base/limits/engine.ts';
import { memoize } from '../../base/memo.ts';
import { RateLimiter } from '../../base/net/rate-limit.ts';
import type { Retry } from '../../plan/write-plan.ts';
import type { WriteResult } from '../engine.ts';

/** For each engine or connection: processes count for themselves. */
const quotaOf = memoize((_store: object) => new RateLimiter());

/** The text to store for the results of a request; `hours` is how long it is kept. */
export function storedAnswer(
  store: object,
  { owner, maxAnswerBytes }: Retry,
  results: readonly WriteResult[],
  hours: number,
): string {
  const text = storedText(results);
  if (results.every(({ body }) => body === undefined)) return text;
  const bytes = Buffer.byteLength(text);
  const quota = { count: MAX_STORED_ANSWERS_BYTES, seconds: hours * 3_600 };
  const isStored = bytes <= maxAnswerBytes && quotaOf(store).take(owner, quota, { cost: bytes }).isAllowed;
  return isStored ? text : storedText(results.map(withoutBody));
}

/** A single result is stored without a list around it. */
function storedText(results: readonly WriteResult[]): string {
  return JSON.stringify(results.length === 1 ? results[0] : results);
}

function withoutBody({ body, ...rest }: WriteResult): WriteResult {
  return body === undefined ? rest : { ...rest, isBodyOmitted: true };
}

/** The results of an earlier request with the same key, from their stored text. */
export function replayedResults(text: string): readonly WriteResult[] {
  return [JSON.parse(text) as WriteResult | WriteResult[]].flat().map((result) => ({ ...result, replayed: true }));
}
