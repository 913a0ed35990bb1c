/** Writes with an `Idempotency-Key`: the service stores a request once, however often it is sent. */
import { type Answer, ask, problemOf, type RequestOptions } from './http.ts';

/** An adopted database may have no table for the keys. The service then rejects a key (501) before any write. */
let areKeysSupported = true;
export const isRepeatable = (): boolean => areKeysSupported;

export async function askOnce(url: string, request: RequestOptions, idempotencyKey: string): Promise<Answer> {
  if (!areKeysSupported) return ask(url, request);
  const headers = new Headers(request.headers as HeadersInit);
  headers.set('idempotency-key', idempotencyKey);
  try {
    return await ask(url, { ...request, headers });
  } catch (error) {
    if (problemOf(error)?.code !== 'CAT501') throw error;
    areKeysSupported = false;
    return ask(url, request);
  }
}
