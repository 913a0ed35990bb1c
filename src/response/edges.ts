/**
 * What stands between the network and the stages: which hosts are answered, which origins may write, which proxies are
 * believed, how often a client may come.
 */
import { networkOf } from '../address.ts';
import { Refusal } from '../errors.ts';
import { EXPOSED_HEADERS } from '../http/cors.ts';
import { hostCheck } from '../http/hosts.ts';
import { originCheck, originHeaders } from '../http/origins.ts';
import type { Place } from '../http/prefix.ts';
import { TrustedProxies } from '../http/proxies.ts';
import type { Allowance, RateLimiter } from '../http/rate-limit.ts';
import { ANY } from '../origin.ts';
import type { Rate } from '../rate.ts';
import type { Trace } from './trace.ts';

export interface EdgeOptions {
  /** Whether only this machine can reach the service. */
  readonly isOnLoopback: boolean;
  readonly allowedHosts: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly trustedProxies: readonly string[];
  /** Whether requests say who they are from: then what carries credentials of its own is no write of a foreign page. */
  readonly hasCredentials?: boolean;
  readonly limits?: Limits | undefined;
}

export interface Limits {
  readonly limiter: RateLimiter;
  /** Of everybody that `counted` names no other for; undefined where there is none. */
  readonly rate: Rate | undefined;
  /** Who a request is counted for, where that is not the client's address, and by which rate, where it is not the usual one. */
  readonly counted?:
    | ((request: Request, trace: Trace) => { readonly who?: string; readonly rate?: Rate } | undefined)
    | undefined;
}

export interface Edges {
  readonly proxies: TrustedProxies;
  /** Before anything else is done: refuses by Host and Origin. */
  readonly enter: (request: Request, trace: Trace) => void;
  /** Once it is known where it leads and, where that is asked, who it is from: refuses one too many. */
  readonly limit: ((request: Request, trace: Trace) => void) | undefined;
  /** With every answer, refusals too: headers beside its own. */
  readonly leave: ((request: Request, trace: Trace, response: Response) => void) | undefined;
}

export function makeEdges(options: EdgeOptions): Edges {
  const { isOnLoopback, allowedHosts, corsOrigins, trustedProxies, hasCredentials = false, limits } = options;
  const proxies = new TrustedProxies(trustedProxies);
  const checkHost = hostCheck({ isOnLoopback, allowed: allowedHosts });
  // Where any name is answered, none of them is the service's own.
  const hosts = allowedHosts.filter((host) => host !== ANY);
  const checkOrigin = originCheck({ listed: corsOrigins, hosts, proxies });
  const tellOrigin = originHeaders(corsOrigins);
  return {
    proxies,
    enter(request, { method, peer }) {
      checkHost?.(request);
      if (!hasCredentials || !carriesCredentials(request)) checkOrigin?.(method, request, peer);
    },
    limit: limits && limitBy(limits, proxies),
    leave:
      limits === undefined && tellOrigin === undefined
        ? undefined
        : (request, { allowance }, response) => {
            if (allowance !== undefined) tellAllowance(allowance, response.headers);
            tellOrigin?.(request, response);
          },
  };
}

/** Which no page of another origin has; a cookie is sent with whatever a page asks for. */
function carriesCredentials({ headers }: Request): boolean {
  return headers.has('authorization') || headers.has('apikey');
}

/** Those who look after the service may always ask how it is. */
const NEVER_LIMITED = /^\/(?:live|ready|metrics)(?:\?|$)/;

export function isLimited({ path }: Place): boolean {
  return !NEVER_LIMITED.test(path);
}

function limitBy({ limiter, rate: usual, counted }: Limits, proxies: TrustedProxies): NonNullable<Edges['limit']> {
  return (request, trace) => {
    if (!isLimited(trace.place)) return;
    const { who = networkOf(proxies.clientOf(request, trace.peer) ?? 'unknown'), rate = usual } =
      counted?.(request, trace) ?? {};
    if (rate === undefined) return;
    trace.allowance = limiter.take(who, rate);
    if (!trace.allowance.isAllowed) throw tooMany(trace.allowance, who);
  };
}

function tooMany({ rate: { count, seconds }, retrySeconds }: Allowance, who: string): Refusal {
  const time = { 1: 'a second', 60: 'a minute', 3600: 'an hour' }[seconds] ?? `${seconds} seconds`;
  return new Refusal('CAT429', `more than ${count} requests in ${time}`, {
    hint: `Try again in ${retrySeconds} s, and ask for more rows in fewer requests.`,
    headers: { 'retry-after': String(retrySeconds) },
    cause: `too many requests of ${who}`,
  });
}

/** As draft-ietf-httpapi-ratelimit-headers had them up to its sixth version, which is what clients read. */
function tellAllowance({ rate, remaining, resetSeconds }: Allowance, headers: Headers): void {
  headers.set('ratelimit-limit', String(rate.count));
  headers.set('ratelimit-remaining', String(remaining));
  headers.set('ratelimit-reset', String(resetSeconds));
  if (headers.has('access-control-expose-headers')) headers.set('access-control-expose-headers', EXPOSED_WITH_LIMITS);
}

const EXPOSED_WITH_LIMITS = `${EXPOSED_HEADERS}, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset`;
