/** Whether a request comes from a page of this host: a browser says where from, and no page can make it say otherwise. */
import { Refusal } from '../errors.ts';

export function isSameOrigin({ headers }: Request): boolean {
  // Right behind any proxy, but sent over TLS and to loopback only: https://www.w3.org/TR/fetch-metadata/
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = headers.get('origin');
  if (origin === null || !URL.canParse(origin)) return false;
  const { host, hostname } = new URL(origin);
  if (host === headers.get('host')?.toLowerCase()) return true;
  // What a proxy was asked for, often without the port. A page of another origin that sent this header would have to ask
  // before, and be told that it may not send cookies (https://fetch.spec.whatwg.org/#cors-protocol-and-credentials).
  const forwarded = headers.get('x-forwarded-host')?.split(',', 1).join().trim().toLowerCase();
  return forwarded !== undefined && (host === forwarded || hostname === forwarded);
}

export function requireSameOrigin(request: Request): void {
  if (isSameOrigin(request)) return;
  throw new Refusal('CAT403', 'a session is used by pages of this host only', {
    details: 'Nothing was changed.',
    hint: 'Programs send a key or a token in Authorization, not a cookie. Behind a proxy, pass on Host and Origin as they came.',
  });
}
