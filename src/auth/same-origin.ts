/** Whether a request comes from a page of this host: a browser says where from, and no page can make it say otherwise. */
import { Refusal } from '../errors.ts';

export function isSameOrigin({ headers }: Request): boolean {
  // Right behind any proxy, but sent over TLS and to loopback only: https://www.w3.org/TR/fetch-metadata/
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = headers.get('origin');
  return origin !== null && URL.canParse(origin) && new URL(origin).host === headers.get('host')?.toLowerCase();
}

export function requireSameOrigin(request: Request): void {
  if (isSameOrigin(request)) return;
  throw new Refusal('CAT403', 'a session is used by pages of this host only', {
    details: 'Nothing was changed.',
    hint: 'Programs send a key or a token in Authorization, not a cookie. Behind a proxy, pass on Host and Origin as they came.',
  });
}
