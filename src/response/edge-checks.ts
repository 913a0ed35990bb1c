/** Checks at the edge of the service: hosts, origins, trusted proxies, rate limits. */

import { ApiError } from '../base/errors.ts';
import { ANY } from '../base/net/address.ts';
import type { Rate } from '../base/net/rate.ts';
import type { RateLimiter, RateState } from '../base/net/rate-limit.ts';
import type { Call } from '../http/call.ts';
import { EXPOSED_HEADERS, hostCheck, originCheck, originHeaders } from '../http/edge/origins.ts';
import { clientNetwork, TrustedProxies } from '../http/edge/proxies.ts';
import type { Authenticate } from './authenticate.ts';
import type { Middleware, RequestContext } from './request-context.ts';

interface EdgeCheckOptions {
  /** Whether only this machine can reach the service. */
  readonly isOnLoopback: boolean;
  readonly allowedHosts: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly trustedProxies: readonly string[];
  /** Whether requests carry credentials. Then a request with its own credentials cannot be forged by a foreign page. */
  readonly hasCredentials?: boolean;
  readonly limits?: Limits | undefined;
}

export interface Limits {
  readonly limiter: RateLimiter;
  /** The rate of callers for whom `counted` returns none; undefined if they are not limited. */
  readonly rate: Rate | undefined;
  /** The identity and rate that a request counts for, if they differ from the client's address and the default rate. */
  readonly counted?:
    | ((context: RequestContext) => { readonly who?: string; readonly rate?: Rate } | undefined)
    | undefined;
}

export interface EdgeChecks {
  readonly proxies: TrustedProxies;
  /** Runs first: rejects by Host and Origin. */
  readonly enter: (call: Call) => void;
  /** Runs after routing and authentication: rejects requests beyond the rate. */
  readonly limit: ((context: RequestContext) => void) | undefined;
  /** Adds headers to every response, including errors. */
  readonly leave: ((context: RequestContext, response: Response) => void) | undefined;
}

export function makeEdgeChecks(options: EdgeCheckOptions): EdgeChecks {
  const { isOnLoopback, allowedHosts, corsOrigins, trustedProxies, hasCredentials = false, limits } = options;
  const proxies = new TrustedProxies(trustedProxies);
  const checkHost = hostCheck({ isOnLoopback, allowed: allowedHosts });
  // If every host is accepted, none counts as the service's own.
  const hosts = allowedHosts.filter((host) => host !== ANY);
  const checkOrigin = originCheck({ listed: corsOrigins, hosts, proxies });
  const setOriginHeaders = originHeaders(corsOrigins);
  return {
    proxies,
    enter(call) {
      checkHost?.(call);
      if (!hasCredentials || !call.hasOwnCredentials) checkOrigin?.(call);
    },
    limit: limits && limitBy(limits, proxies),
    leave:
      limits === undefined && setOriginHeaders === undefined
        ? undefined
        : ({ call, rateState }, response) => {
            if (rateState !== undefined) setRateHeaders(rateState, response.headers);
            setOriginHeaders?.(call, response);
          },
  };
}

const HEALTH_CHECKS = ['/live', '/ready', '/metrics'];

/** Health checks are never limited. */
function isRateLimited({ target }: Call): boolean {
  return target.kind !== 'page' || !HEALTH_CHECKS.includes(target.path);
}

function limitBy({ limiter, rate: usual, counted }: Limits, proxies: TrustedProxies): NonNullable<EdgeChecks['limit']> {
  return (context) => {
    const { who = clientNetwork(context.call, proxies), rate = usual } = counted?.(context) ?? {};
    if (rate === undefined) return;
    context.rateState = limiter.take(who, rate);
    if (!context.rateState.isAllowed) throw tooMany(context.rateState, who);
  };
}

function tooMany({ rate: { count, seconds }, retrySeconds }: RateState, who: string): ApiError {
  const time = { 1: 'a second', 60: 'a minute', 3600: 'an hour' }[seconds] ?? `${seconds} seconds`;
  return new ApiError('CAT429', `more than ${count} requests in ${time}`, {
    hint: `Try again in ${retrySeconds} s, and ask for more rows in fewer requests.`,
    headers: { 'retry-after': String(retrySeconds) },
    cause: `too many requests of ${who}`,
  });
}

/** Uses the headers of draft-ietf-httpapi-ratelimit-headers up to version 06, which clients support. */
function setRateHeaders({ rate, remaining, resetSeconds }: RateState, headers: Headers): void {
  headers.set('ratelimit-limit', String(rate.count));
  headers.set('ratelimit-remaining', String(remaining));
  headers.set('ratelimit-reset', String(resetSeconds));
  if (headers.has('access-control-expose-headers')) headers.set('access-control-expose-headers', EXPOSED_WITH_LIMITS);
}

const EXPOSED_WITH_LIMITS = `${EXPOSED_HEADERS}, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset`;

/** Invalid credentials count for the client's address; the request is rejected for them afterwards. */
export function withRateLimit(limit: EdgeChecks['limit'], authenticate: Authenticate | undefined): Middleware {
  return (next) => {
    if (limit === undefined) return next;
    return (context) => {
      if (!isRateLimited(context.call)) return next(context);
      const count = () => {
        limit(context);
        return next(context);
      };
      const authenticated = authenticate && settled(() => authenticate(context));
      return authenticated === undefined ? count() : authenticated.then(count);
    };
  };
}

/** A promise that never rejects; undefined if the work is already done. */
function settled(work: () => unknown): Promise<void> | undefined {
  try {
    const done = work();
    return done instanceof Promise ? done.then(nothing, nothing) : undefined;
  } catch {
    return undefined;
  }
}

const nothing = () => undefined;
