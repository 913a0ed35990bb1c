/** Whether a request comes from a page of this host: a browser says where from, and no page can make it say otherwise. */
import { Refusal } from '../errors.ts';
import type { Peer } from '../http/peer.ts';
import type { TrustedProxies } from '../http/proxies.ts';

export function isSameOrigin(request: Request, peer: Peer | undefined, proxies: TrustedProxies): boolean {
  const { headers } = request;
  // Right behind any proxy, but sent over TLS and to loopback only: https://www.w3.org/TR/fetch-metadata/
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = headers.get('origin');
  if (origin === null || !URL.canParse(origin)) return false;
  const { protocol, host, hostname } = new URL(origin);
  // Whoever is on the way of a page over HTTP can change it. An https page of a service that knows of no TLS has a proxy that
  // does not tell.
  if (protocol !== 'https:' && proxies.isSecure(request, peer)) return false;
  if (host === headers.get('host')?.toLowerCase()) return true;
  // What a proxy was asked for, often without the port.
  const forwarded = headers.get('x-forwarded-host')?.split(',', 1).join().trim().toLowerCase();
  return forwarded !== undefined && proxies.trusts(peer) && (host === forwarded || hostname === forwarded);
}

export function requireSameOrigin(request: Request, peer: Peer | undefined, proxies: TrustedProxies): void {
  if (isSameOrigin(request, peer, proxies)) return;
  throw new Refusal('CAT403', 'a session is used by pages of this host only', {
    details: 'Nothing was changed.',
    hint: 'Programs send a key or a token in Authorization, not a cookie. Behind a proxy, pass on Host and Origin as they came. Where there is HTTPS, open the page with https.',
  });
}
