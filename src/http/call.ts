/**
 * Stage 1, http: a request as the later stages want it.
 *
 * In: a `Request`. Out: a `Call`: its method, what it is addressed to, its query, its headers, its body on demand.
 * Guarantees: the method fits the target, the URL is within its limit. Refuses: 404, 405, 414, and for bodies 400, 413,
 * 415. Knows no SQL.
 */
import type { Collection } from '../collection/declaration.ts';
import { Refusal } from '../errors.ts';
import { MAX_URL_LENGTH } from '../limits.ts';
import { nearestName } from '../nearest-name.ts';
import type { Place } from './prefix.ts';
import { decode } from './query-string.ts';

export type Target = { readonly kind: 'collection' } | { readonly kind: 'item'; readonly key: string };

const METHODS = {
  collection: ['OPTIONS', 'GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'],
  item: ['OPTIONS', 'GET', 'HEAD', 'PATCH', 'PUT', 'DELETE'],
} as const;
export type Method = (typeof METHODS)['collection'][number];

export interface Call {
  readonly method: Method;
  readonly target: Target;
  /** Path and query as the client sees them. */
  readonly url: string;
  /** What of it stands before the paths of the service. */
  readonly prefix: string;
  /** Path and query within the service. */
  readonly path: string;
  /** The text after `?`. */
  readonly query: string;
  readonly request: Request;
}

const COLLECTION: Target = { kind: 'collection' };

/** `named` is the request's method, which costs something each time a request is asked for it. */
export function readCall(named: string, { prefix, path }: Place, request: Request, collection: Collection): Call {
  if (path.length > MAX_URL_LENGTH) {
    throw new Refusal('CAT414', `the URL is longer than ${MAX_URL_LENGTH} characters`, {
      hint: 'Ask in several requests, with fewer values in each.',
    });
  }
  const mark = path.indexOf('?');
  const end = mark === -1 ? path.length : mark;
  const target = findTarget(path.slice(0, end), prefix, collection);
  const method = findMethod(named, target);
  return { method, target, url: prefix + path, prefix, path, query: mark === -1 ? '' : path.slice(mark + 1), request };
}

/** A slash from here on is not the scheme's: after `http://` comes at least one character of a host. */
const PAST_SCHEME = 'http://'.length + 1;

/** An HTTP/1.0 request without a Host has no scheme and host in its URL. */
export function pathAndQuery(url: string): string {
  const start = url[0] === '/' ? 0 : url.indexOf('/', PAST_SCHEME);
  const hash = url.indexOf('#');
  if (start === -1) return '/';
  return hash === -1 ? url.slice(start) : url.slice(start, hash);
}

function findTarget(path: string, prefix: string, collection: Collection): Target {
  const here = `${prefix}/${collection.name}`;
  const parts = path.split('/').slice(1).map(decode);
  const [name = '', key, ...rest] = parts;
  if (name === collection.name && key === undefined) return COLLECTION;
  if (name === collection.name && key !== undefined && key !== '' && rest.length === 0) return { kind: 'item', key };
  if (parts.length > 1) {
    throw new Refusal('PGRST125', 'Invalid path specified in request URL', {
      hint: `There is ${here} and ${here}/<${collection.key.name}>, without a slash at the end.`,
    });
  }
  const nearest = nearestName(name, [collection.name]);
  throw new Refusal('PGRST205', `Could not find the table '${name}' in the schema cache`, {
    hint: nearest === undefined ? `The collection is at ${here}.` : `Perhaps you meant the table '${nearest}'`,
  });
}

function findMethod(method: string, target: Target): Method {
  const allowed = METHODS[target.kind] as readonly string[];
  if (allowed.includes(method)) return method as Method;
  throw new Refusal('PGRST117', `Unsupported HTTP method: ${method}`, {
    hint: `Allowed here: ${allowed.join(', ')}.`,
    headers: { allow: allowedMethods(target) },
  });
}

export function allowedMethods(target: Target): string {
  return METHODS[target.kind].join(', ');
}
