/**
 * Signed URLs: whoever has one may read the file until it expires, as an `<img>` of a page without credentials does.
 * The key is the id of the content, a random value that no response contains. So instances need no shared secret.
 */
import { ApiError } from '../base/errors.ts';
import { DEFAULT_SIGNED_SECONDS, MAX_SIGNED_SECONDS } from '../base/limits/files.ts';
import { isSigned, signatureOf } from '../base/net/signature.ts';
import type { StoredFile } from './store.ts';

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

export interface Signature {
  /** Seconds since 1970. */
  readonly expires: number;
  readonly text: string;
}

/** The signature in a query; undefined if it has none. */
export function readSignature(query: string): Signature | undefined {
  if (!query.includes('signature=')) return undefined;
  const parameters = new URLSearchParams(query);
  const text = parameters.get('signature');
  return text === null ? undefined : { text, expires: Number(parameters.get('expires') ?? 0) };
}

/** Reads `expires=1h` of a request for a signed URL. */
export function readLifetime(query: string): number {
  const text = new URLSearchParams(query).get('expires');
  if (text === null) return DEFAULT_SIGNED_SECONDS;
  const [, number, unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  const seconds = Number(number ?? 0) * (UNIT_SECONDS[unit ?? ''] ?? 0);
  if (seconds >= 1 && seconds <= MAX_SIGNED_SECONDS) return seconds;
  throw new ApiError('PGRST100', `expires: ${text} is not a time from 1s to ${MAX_SIGNED_SECONDS / 86_400}d`, {
    hint: 'Use 30s, 15m, 1h or 7d, for example.',
  });
}

export function sign({ id, content }: StoredFile, expires: number): string {
  return signatureOf(content, id, expires);
}

export function isValid({ id, content }: StoredFile, { expires, text }: Signature): boolean {
  return isSigned(content, id, expires, text);
}
