/**
 * Cross-origin requests from browsers. Reads are answered for every origin, as in PostgREST. A write takes effect
 * before the browser checks whether the page may see the answer. So it is rejected, unless its origin is this host,
 * loopback, or listed in --cors-origins.
 */

import { ApiError } from '../../base/errors.ts';
import { ANY, authorityOf, hostOf, isLoopback, originOf } from '../../base/net/address.ts';
import { type Call, WRITES } from '../call.ts';
import { isListed } from './hosts.ts';
import type { TrustedProxies } from './proxies.ts';

interface Origins {
  /** The origins of --cors-origins. */
  readonly listed: readonly string[];
  /** The service's names from --allowed-hosts. */
  readonly hosts: readonly string[];
  readonly proxies: TrustedProxies;
}

/** Rejects a write or its preflight by Origin. Undefined if every origin may write. */
export function originCheck(origins: Origins): ((call: Call) => void) | undefined {
  if (origins.listed.includes(ANY)) return undefined;
  return (call) => {
    if (call.isRead) return;
    const { headers, method } = call;
    const origin = headers.get('origin');
    // Only browsers send Origin, and they send it with every write.
    if (origin === null) return;
    const requestedMethod = method === 'OPTIONS' ? (headers.get('access-control-request-method') ?? '') : method;
    if (WRITES.includes(requestedMethod) && !mayWrite(origin, call, origins)) throw foreignOrigin(origin);
  };
}

function mayWrite(header: string, call: Call, origins: Origins): boolean {
  // Pages cannot set this header (https://www.w3.org/TR/fetch-metadata/), and it stays correct behind proxies. Browsers
  // do not send it to every address.
  const site = call.headers.get('sec-fetch-site');
  if (site === 'same-origin' || site === 'none') return true;
  const origin = originOf(header);
  if (origin === undefined) return false;
  if (origins.listed.includes(origin)) return true;
  const host = hostOf(authorityOf(origin));
  const target = origins.proxies.hostOf(call);
  return isLoopback(host) || isListed(host, origins.hosts) || (target !== undefined && host === hostOf(target));
}

function foreignOrigin(origin: string): ApiError {
  return new ApiError('CAT403', `a web page of ${origin} may not change the catalogue`, {
    details: 'The Origin of the request is neither this host nor loopback.',
    hint:
      originOf(origin) === undefined
        ? 'Open the page from a server, so that it has an origin, and name that in --cors-origins.'
        : `Start the service with --cors-origins ${origin} to allow it; a proxy in front should send X-Forwarded-Host.`,
  });
}

/** With --cors-origins, allows only the listed origins instead of any. */
export function originHeaders(listed: readonly string[]): ((call: Call, response: Response) => void) | undefined {
  if (listed.length === 0 || listed.includes(ANY)) return undefined;
  return (call, { headers }) => {
    if (!headers.has('access-control-allow-origin')) return;
    const vary = headers.get('vary');
    headers.set('vary', vary === null ? 'Origin' : `${vary}, Origin`);
    const origin = call.headers.get('origin');
    if (origin !== null && listed.includes(originOf(origin) ?? '')) headers.set('access-control-allow-origin', origin);
    else headers.delete('access-control-allow-origin');
  };
}
