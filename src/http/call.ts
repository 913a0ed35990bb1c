/**
 * Stage 1, http: a request as the later stages want it.
 *
 * In: a `Request`. Out: a `Call`: its method, what it is addressed to, its query, its headers, its body on demand.
 * Guarantees: the method fits the target, the URL is within its limit. Refuses: 404, 405, 414, and for bodies 400, 413,
 * 415. Knows no SQL.
 */
import type { Catalogue, Collection } from '../collection/declaration.ts';
import { Refusal } from '../errors.ts';
import { MAX_URL_LENGTH } from '../limits.ts';
import { nearestName } from '../nearest-name.ts';
import { decode } from './query-string.ts';

export type Target = { readonly kind: 'collection' } | { readonly kind: 'item'; readonly key: string };

const METHODS = {
  collection: ['OPTIONS', 'GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'],
  item: ['OPTIONS', 'GET', 'HEAD', 'PATCH', 'PUT', 'DELETE'],
} as const;
export type Method = (typeof METHODS)['collection'][number];

export interface Call {
  readonly method: Method;
  readonly collection: Collection;
  readonly target: Target;
  /** Path and query as sent. */
  readonly url: string;
  /** The text after `?`. */
  readonly query: string;
  readonly request: Request;
}

const COLLECTION: Target = { kind: 'collection' };

/** `url` is the request's path and query, `named` its method, which costs something each time a request is asked for it. */
export function readCall(named: string, url: string, request: Request, catalogue: Catalogue): Call {
  if (url.length > MAX_URL_LENGTH) {
    throw new Refusal('CAT414', `the URL is longer than ${MAX_URL_LENGTH} characters`, {
      hint: 'Ask in several requests, with fewer values in each.',
    });
  }
  const mark = url.indexOf('?');
  const end = mark === -1 ? url.length : mark;
  const { collection, target } = findTarget(url.slice(0, end), catalogue);
  const method = findMethod(named, target);
  return { method, collection, target, url, query: mark === -1 ? '' : url.slice(mark + 1), request };
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

function findTarget(path: string, { collections }: Catalogue): Pick<Call, 'collection' | 'target'> {
  const parts = path.split('/').slice(1).map(decode);
  const [name = '', key, ...rest] = parts;
  const collection = collections.get(name);
  if (collection !== undefined && key === undefined) return { collection, target: COLLECTION };
  // Only a key of one field fits into a path.
  if (collection?.key.length === 1 && key !== undefined && key !== '' && rest.length === 0) {
    return { collection, target: { kind: 'item', key } };
  }
  if (parts.length > 1) throw noSuchPath(collection, collections);
  const nearest = nearestName(name, [...collections.keys()]);
  throw new Refusal('PGRST205', `Could not find the table '${name}' in the schema cache`, {
    hint: nearest === undefined ? `There is ${pathsOf(collections)}.` : `Perhaps you meant the table '${nearest}'`,
  });
}

function noSuchPath(collection: Collection | undefined, collections: Catalogue['collections']): Refusal {
  const paths = collection === undefined ? pathsOf(collections) : `/${collection.name}`;
  const item = collection?.key.length === 1 ? ` and /${collection.name}/<${collection.key[0]!.name}>` : '';
  return new Refusal('PGRST125', 'Invalid path specified in request URL', {
    hint: `There is ${paths}${item}, without a slash at the end.`,
  });
}

function pathsOf(collections: Catalogue['collections']): string {
  return [...collections.keys()].map((name) => `/${name}`).join(', ');
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
