/** Headers for safe writes: If-Match (RFC 9110, 13.1.1) and Idempotency-Key. */
import { ApiError } from '../base/errors.ts';
import { MAX_STORED_ANSWER_BYTES } from '../base/limits/engine.ts';
import { MAX_IDEMPOTENCY_KEY_LENGTH } from '../base/limits/http.ts';
import type { Call } from './call.ts';

/** The versions that a row may have; `*` means any. If-Match compares strongly, so weak tags are ignored. */
export function readIfMatch(call: Pick<Call, 'request'>): readonly string[] | '*' | undefined {
  const header = call.request.headers.get('if-match');
  if (header === null) return undefined;
  if (header.trim() === '*') return '*';
  return header
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag.startsWith('"') && tag.endsWith('"'))
    .map((tag) => tag.slice(1, -1).split('.')[0]!);
}

/** Whether the client already has this version (If-None-Match, weak comparison; RFC 9110, 13.1.2). */
export function matchesTag(header: string, tag: string): boolean {
  const tags = header.split(',').map((each) => each.trim().replace(/^W\//, ''));
  return header.trim() === '*' || tags.includes(tag);
}

/** `If-None-Match: *` on a PUT: the row may be created but not replaced (RFC 9110, 13.1.2). */
export function isCreateOnly(call: Call): boolean {
  return call.method === 'PUT' && call.request.headers.get('if-none-match')?.trim() === '*';
}

/** The fingerprint covers everything that the answer depends on, to detect reuse of a key for another request. */
export function readIdempotencyKey(call: Pick<Call, 'method' | 'path' | 'target' | 'request'>, body: Uint8Array) {
  const { headers } = call.request;
  const key = headers.get('idempotency-key');
  if (key === null || (call.method !== 'POST' && call.method !== 'PATCH')) return undefined;
  if (key === '' || key.length > MAX_IDEMPOTENCY_KEY_LENGTH) {
    throw new ApiError('54000', `an Idempotency-Key has 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} characters`);
  }
  const headerValues = ['content-type', 'prefer', 'accept'].map((name) => headers.get(name) ?? '');
  const hash = new Bun.CryptoHasher('sha256').update(`${[call.method, call.path, ...headerValues].join('\n')}\n`);
  const condition = call.target.kind === 'item' ? null : headers.get('if-match');
  if (condition !== null) hash.update(`if-match ${condition}\n`);
  // A request of many rows may have its answer back: it stores as much itself.
  const maxAnswerBytes = Math.max(MAX_STORED_ANSWER_BYTES, 2 * body.byteLength);
  return { key, fingerprint: hash.update(body).digest('hex'), owner: '', maxAnswerBytes };
}
