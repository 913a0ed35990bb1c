/** An answer as it comes, piece by piece: what is long need not fit into memory as a text. */
import { base } from './base.ts';
import { ask } from './http.ts';
import { token } from './token.ts';

export interface StreamDemand {
  readonly accept: string;
  readonly signal: AbortSignal;
}

export async function askStream(url: string, { accept, signal }: StreamDemand): Promise<ReadableStream<Uint8Array>> {
  const credentials = token.get();
  const headers = { accept, ...(credentials === null ? {} : { authorization: `Bearer ${credentials}` }) };
  const response = await fetch(`${base}${url}`, { headers, signal });
  if (response.ok && response.body !== null) return response.body;
  await response.body?.cancel();
  // Asked for once more for one row alone, so that a refusal is told, and credentials are asked for, as everywhere else.
  await ask(`${url}${url.includes('?') ? '&' : '?'}limit=1`, { headers: { accept } });
  throw new Error(`The service answered ${response.status}.`);
}
