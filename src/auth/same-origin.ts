/** Checks that a request comes from a page of this host. A browser sends the origin, and no page can forge it. */
import { ApiError } from '../base/errors.ts';
import type { Call } from '../http/call.ts';
import type { TrustedProxies } from '../http/edge/proxies.ts';

function isSameOrigin(call: Call, proxies: TrustedProxies): boolean {
  const { headers } = call;
  // Correct behind any proxy, but browsers send it only over TLS and to loopback: https://www.w3.org/TR/fetch-metadata/
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = headers.get('origin');
  if (origin === null || !URL.canParse(origin)) return false;
  const { protocol, host, hostname } = new URL(origin);
  // Anyone on the way can change a page over HTTP. An https page without TLS here means that a proxy hides the scheme.
  if (protocol !== 'https:' && proxies.isSecure(call)) return false;
  if (host === headers.get('host')?.toLowerCase()) return true;
  // The host that the proxy received, often without the port.
  const forwarded = headers.get('x-forwarded-host')?.split(',', 1).join().trim().toLowerCase();
  return forwarded !== undefined && proxies.trusts(call.peer) && (host === forwarded || hostname === forwarded);
}

export function requireSameOrigin(call: Call, proxies: TrustedProxies): void {
  if (isSameOrigin(call, proxies)) return;
  throw new ApiError('CAT403', 'only pages of this host may use a session', {
    details: 'Nothing was changed.',
    hint: 'Programs send a key or a token in Authorization, not a cookie. Behind a proxy, pass on Host and Origin as they came. If the service has HTTPS, open the page with https.',
  });
}
