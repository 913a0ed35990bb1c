/**
 * Finds the path of a request within the service. A proxy may serve it below a path of its own. The proxy strips that
 * path and sends it in X-Forwarded-Prefix; with --base-path it may be stripped or not.
 */
import { ApiError } from '../../base/errors.ts';
import { MAX_PREFIX_LENGTH } from '../../base/limits/http.ts';
import { pathPrefix } from '../../base/net/path-prefix.ts';
import { type Call, type Location, pathAndQuery } from '../call.ts';
import type { TrustedProxies } from './proxies.ts';

export const FORWARDED_PREFIX = 'X-Forwarded-Prefix';
/** The prefix that supabase-js puts before tables. Every path of the service is also there. */
export const SUPABASE_PREFIX = '/rest/v1';

/** Without --trusted-proxies, every proxy is trusted. */
export function locateRequest(
  { headers, requestUrl, peer }: Call,
  basePath: string,
  proxies?: TrustedProxies,
): Location {
  let forwarded = headers.get(FORWARDED_PREFIX);
  if (forwarded !== null && proxies?.trusts(peer) === false) forwarded = null;
  let path = pathAndQuery(requestUrl);
  // The forwarded prefix was stripped; without one, the base path was, unless it is still there.
  let prefix = forwarded === null ? basePath : readForwarded(forwarded);
  if (basePath !== '' && isBelow(path, basePath)) {
    path = below(path, basePath);
    if (forwarded !== null) prefix += basePath;
  }
  // A client may add it to a path of the OpenAPI document that begins with it already.
  while (isBelow(path, SUPABASE_PREFIX)) {
    path = below(path, SUPABASE_PREFIX);
    prefix += SUPABASE_PREFIX;
  }
  return { prefix, path };
}

function isBelow(path: string, prefix: string): boolean {
  if (!path.startsWith(prefix)) return false;
  const next = path[prefix.length];
  return next === undefined || next === '/' || next === '?';
}

function below(path: string, prefix: string): string {
  const rest = path.slice(prefix.length);
  return rest[0] === '/' ? rest : `/${rest}`;
}

/** Several proxies add theirs, comma-separated, the outermost first. */
function readForwarded(header: string): string {
  if (header.length <= MAX_PREFIX_LENGTH) {
    const parts = header.split(',').map((part) => pathPrefix(part.trim()));
    if (!parts.includes(undefined)) return parts.join('');
  }
  throw new ApiError('CAT400', `${FORWARDED_PREFIX} is not a path`, {
    hint: 'Send a path such as /api: letters, digits, ".", "_", "~", "-" between slashes.',
  });
}
