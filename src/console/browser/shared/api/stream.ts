/** A streamed response, which does not have to fit into memory. */
import { base } from './base.ts';
import { ask } from './http.ts';
import { token } from './token.ts';

interface StreamOptions {
  readonly accept: string;
  readonly signal: AbortSignal;
}

export async function askStream(url: string, { accept, signal }: StreamOptions): Promise<ReadableStream<Uint8Array>> {
  const credentials = token.get();
  const headers = { accept, ...(credentials === null ? {} : { authorization: `Bearer ${credentials}` }) };
  const response = await fetch(`${base}${url}`, { headers, signal });
  if (response.ok && response.body !== null) return response.body;
  await response.body?.cancel();
  // Repeat the request for one row with `ask`, which handles errors and asks for credentials.
  await ask(`${url}${url.includes('?') ? '&' : '?'}limit=1`, { headers: { accept } });
  throw new Error(`The service answered ${response.status}.`);
}
