import type { Call } from '../call.ts';

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
