/** Idempotency keys: which request a key stands for, and whose it is. */
import { ApiError } from '../base/errors.ts';
import { MAX_STORED_ANSWER_BYTES } from '../base/limits/engine.ts';
import { MAX_IDEMPOTENCY_KEY_LENGTH } from '../base/limits/http.ts';
import type { Call } from '../http/call.ts';
import type { Retry } from '../plan/write-plan.ts';
import type { RequestContext } from './request-context.ts';

interface RetriedRequest {
  readonly path: string;
  readonly isItem: boolean;
  /** Whether the body describes files. A form has another Content-Type with each attempt. */
  readonly isUpload?: boolean;
}

/**
 * The key, if the request has one. The fingerprint covers everything that the answer depends on, to detect reuse of a
 * key for another request; `path` is the path of the request.
 */
export function retryOf(
  call: Call,
  { path, isItem, isUpload = false }: RetriedRequest,
  body: Uint8Array,
  context: RequestContext,
): { readonly retry?: Retry } {
  const key = call.idempotencyKey;
  if (key === null || !(isUpload || call.method === 'POST' || call.method === 'PATCH')) return {};
  if (key === '' || key.length > MAX_IDEMPOTENCY_KEY_LENGTH) {
    throw new ApiError('54000', `an Idempotency-Key has 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} characters`);
  }
  const parts = [call.method, path, (isUpload ? null : call.contentType) ?? '', call.prefer ?? '', call.accept ?? ''];
  const hash = new Bun.CryptoHasher('sha256').update(`${parts.join('\n')}\n`);
  const condition = isItem ? null : call.ifMatchText;
  if (condition !== null) hash.update(`if-match ${condition}\n`);
  const { shown, written } = call.languages ?? {};
  if ((shown ?? written) !== undefined) hash.update(`languages ${shown} ${written}\n`);
  // A request of many rows may have its answer back: it stores as much itself.
  const maxAnswerBytes = Math.max(MAX_STORED_ANSWER_BYTES, 2 * body.byteLength);
  const fingerprint = hash.update(body).digest('hex');
  return { retry: { fingerprint, maxAnswerBytes, ...scopeOf(key, context) } };
}

/**
 * The same key of another caller is another key, and uses another quota. Anonymous callers differ by their network.
 * Without roles, all callers have the same rights, so they share keys.
 */
function scopeOf(key: string, { access, caller, network }: RequestContext): Pick<Retry, 'key' | 'owner'> {
  if (access === undefined) return { key, owner: '' };
  const whom = [access.scope, caller?.identity ?? null, ...(caller?.identity === undefined ? [network] : [])];
  const whose = JSON.stringify([...whom, key]);
  return { owner: JSON.stringify(whom), key: new Bun.CryptoHasher('sha256').update(whose).digest('hex') };
}
