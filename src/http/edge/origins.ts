/**
 * Cross-origin requests from browsers. Reads are answered for every origin, as in PostgREST. A write takes effect
 * before the browser checks whether the page may see the answer. So it is rejected, unless its origin is this host,
 * loopback, or listed in --cors-origins.
 */
import { ApiError } from '../../base/errors.ts';
import { MAX_KNOWN_HOSTS } from '../../base/limits/http.ts';
import { ANY, authorityOf, hostOf, isLoopback, isThisMachine, originOf } from '../../base/net/address.ts';
import { type Call, WRITES } from '../call.ts';
import type { TrustedProxies } from './proxies.ts';

export const EXPOSED_HEADERS =
  'Catalogue-Missing-Rows, Catalogue-Position, Content-Encoding, Content-Location, Content-Profile, Content-Range, Content-Type, Date, ETag, Idempotency-Replayed, Link, Location, Preference-Applied, Proxy-Status, Range-Unit, Retry-After, Server-Timing, X-Request-Id';

/** Keeps browsers from guessing another content type (https://fetch.spec.whatwg.org/#x-content-type-options-header). */
export const NO_SNIFF = ['x-content-type-options', 'nosniff'] as const;

/** On every answer, for any origin as in PostgREST: constant headers are cheaper than reading Origin. */
export const CORS_HEADERS: Readonly<Record<string, string>> = {
  [NO_SNIFF[0]]: NO_SNIFF[1],
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED_HEADERS,
};

const DEFAULT_REQUEST_HEADERS =
  'Accept, Authorization, Catalogue-Position, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, Range, Range-Unit, X-Client-Info, Accept-Profile, Content-Profile';

/** The allowed methods, and the headers of a preflight. */
export function optionsHeaders({ headers: given }: Call, allow: string): Record<string, string> {
  const headers: Record<string, string> = { ...CORS_HEADERS, allow };
  if (given.get('access-control-request-method') !== null) {
    headers['access-control-allow-methods'] = allow;
    headers['access-control-allow-headers'] =
      withoutForwarded(given.get('access-control-request-headers')) ?? DEFAULT_REQUEST_HEADERS;
    headers['access-control-max-age'] = '86400';
  }
  return headers;
}

/** A web page must not set headers that belong to a proxy. */
function withoutForwarded(asked: string | null): string | null {
  if (asked === null || !/forwarded/i.test(asked)) return asked;
  const names = asked.split(',').map((name) => name.trim());
  return names.filter((name) => !/^(?:x-)?forwarded/i.test(name)).join(', ');
}

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
    const { headers, method, origin } = call;
    // Only browsers send Origin, and they send it with every write.
    if (origin === null) return;
    const requestedMethod = method === 'OPTIONS' ? (headers.get('access-control-request-method') ?? '') : method;
    if (WRITES.includes(requestedMethod) && !mayWrite(origin, call, origins)) throw foreignOrigin(origin);
  };
}

function mayWrite(header: string, call: Call, origins: Origins): boolean {
  // It stays correct behind proxies. Browsers do not send it to every address.
  if (call.fetchSite === 'same-origin' || call.fetchSite === 'none') return true;
  const origin = originOf(header);
  if (origin === undefined) return false;
  if (origins.listed.includes(origin)) return true;
  const host = hostOf(authorityOf(origin));
  const target = origins.proxies.hostOf(call);
  return isLoopback(host) || isListed(host, origins.hosts) || (target !== undefined && host === hostOf(target));
}

/** Whether a page of this host sent it. A browser sends the origin, and no page can forge it. */
function isSameOrigin(call: Call, proxies: TrustedProxies): boolean {
  const { fetchSite, origin } = call;
  // Correct behind any proxy, but browsers send it only over TLS and to loopback.
  if (fetchSite !== null) return fetchSite === 'same-origin';
  if (origin === null || !URL.canParse(origin)) return false;
  const { protocol, host, hostname } = new URL(origin);
  // Anyone on the way can change a page over HTTP. An https page without TLS here means that a proxy hides the scheme.
  if (protocol !== 'https:' && proxies.isSecure(call)) return false;
  if (host === call.host?.toLowerCase()) return true;
  // The host that the proxy received, often without the port.
  const forwarded = proxies.first('x-forwarded-host', call)?.toLowerCase();
  return host === forwarded || hostname === forwarded;
}

export function requireSameOrigin(call: Call, proxies: TrustedProxies): void {
  if (isSameOrigin(call, proxies)) return;
  throw new ApiError('CAT403', 'only pages of this host may use a session', {
    nothingChanged: true,
    hint: 'Logins and sessions work only on pages of the same origin as the service. Programs and pages of other origins send a token or a key in Authorization. Behind a proxy, pass on Host and Origin as they came. If the service has HTTPS, open the page with https.',
  });
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
    const { origin } = call;
    if (origin !== null && listed.includes(originOf(origin) ?? '')) headers.set('access-control-allow-origin', origin);
    else headers.delete('access-control-allow-origin');
  };
}

interface Hosts {
  /** Whether only this machine can reach the service. */
  readonly isOnLoopback: boolean;
  /** Allowed besides the names of this machine: `shop.example.com`, `*.example.com`, `*`. */
  readonly allowed: readonly string[];
}

/**
 * Rejects a request by its Host; undefined if every host is allowed. It protects against DNS rebinding: a web page
 * whose host name resolves to this machine counts as same-origin in a browser. Its Host is not a name of this machine.
 */
export function hostCheck({ isOnLoopback, allowed }: Hosts): ((call: Call) => void) | undefined {
  if (allowed.includes(ANY) || (!isOnLoopback && allowed.length === 0)) return undefined;
  // Cached as written by clients.
  const acceptedHosts = new Set<string>();
  return ({ host: header }) => {
    // Browsers always send Host; old programs and health checks may not.
    if (header === null || header === '' || acceptedHosts.has(header)) return;
    const host = hostOf(header);
    if (!isListed(host, allowed) && !isThisMachine(host)) throw unknownHost(host, isOnLoopback);
    if (acceptedHosts.size >= MAX_KNOWN_HOSTS) acceptedHosts.clear();
    acceptedHosts.add(header);
  };
}

function isListed(host: string, allowed: readonly string[]): boolean {
  return allowed.some((each) => each === ANY || each === host || (each[0] === '*' && host.endsWith(each.slice(1))));
}

function unknownHost(host: string, isOnLoopback: boolean): ApiError {
  return new ApiError('CAT421', `the service is not called ${host}`, {
    details: isOnLoopback
      ? 'It listens on a loopback address, where only names of this machine are answered, since any web page can have its own name lead here.'
      : 'The service accepts only the host names of this machine and of --allowed-hosts.',
    hint: `Ask for localhost; or, where a proxy asks by this name, start the service with --allowed-hosts ${host}.`,
  });
}
