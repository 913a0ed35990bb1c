/**
 * Stage 1, http: reads the method, path and query of a request.
 *
 * In: a `Request` and its location below the prefix.
 * Out: a `Call` with the method, the collection or row that it addresses, and the query text.
 * Guarantees: the target supports the method; the URL is within its limit. The stage knows no SQL.
 * Throws: 404, 405, 414. Reading a body also throws 400, 413, 415.
 */

import { ApiError } from '../base/errors.ts';
import { MAX_URL_LENGTH } from '../base/limits/http.ts';
import { nearestName } from '../base/nearest-name.ts';
import { nameOfPart, pathPart } from '../base/net/query-string.ts';
import { tableDenied } from '../collection/access/permission-errors.ts';
import { isChangeLog } from '../collection/change-log.ts';
import type { Catalogue, Collection } from '../collection/declaration.ts';
import { isFiles, servedName } from '../collection/files.ts';
import type { Location } from './edge/prefix.ts';
import { OWN_PATH } from './own-paths.ts';

export type Target = { readonly kind: 'collection' } | { readonly kind: 'item'; readonly key: string };

const METHODS = {
  collection: ['OPTIONS', 'GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'],
  item: ['OPTIONS', 'GET', 'HEAD', 'PATCH', 'PUT', 'DELETE'],
  /** The log of changes, and the files. */
  log: ['OPTIONS', 'GET', 'HEAD'],
} as const;
type Method = (typeof METHODS)['collection'][number];

export interface Call {
  readonly method: Method;
  readonly collection: Collection;
  readonly target: Target;
  /** Path and query as the client sees them. */
  readonly url: string;
  /** The part before the paths of the service. */
  readonly prefix: string;
  /** Path and query within the service. */
  readonly path: string;
  /** The text after `?`. */
  readonly query: string;
  readonly request: Request;
}

type Addressed = Pick<Call, 'collection' | 'target'>;

export const COLLECTION: Target = { kind: 'collection' };

/** `named` is the method, which is costly to read from the request. */
export function readCall(named: string, { prefix, path }: Location, request: Request, catalogue: Catalogue): Call {
  checkUrlLength(path);
  const mark = path.indexOf('?');
  const end = mark === -1 ? path.length : mark;
  const { collection, target } = findTarget(path.slice(0, end), prefix, catalogue, named);
  const method = findMethod(named, { collection, target });
  const query = mark === -1 ? '' : path.slice(mark + 1);
  return { method, collection, target, url: prefix + path, prefix, path, query, request };
}

export function checkUrlLength(path: string): void {
  if (path.length <= MAX_URL_LENGTH) return;
  throw new ApiError('CAT414', `the URL is longer than ${MAX_URL_LENGTH} characters`, {
    hint: 'Ask in several requests, with fewer values in each.',
  });
}

/** `/products`, or `/products/:id` for any key. */
export function routeOf({ collection, target }: Pick<Call, 'collection' | 'target'>): string {
  const path = `/${servedName(collection.name)}`;
  return target.kind === 'item' ? `${path}/:id` : path;
}

const SLASH = '/'.charCodeAt(0);
const QUESTION_MARK = '?'.charCodeAt(0);
/** The first slash after this position belongs to the path. */
const PAST_SCHEME = 'http://'.length + 1;

/** Without a usable Host, the URL has no scheme and host, and may contain any bytes that no header may hold. */
export function pathAndQuery(url: string): string {
  if (url[0] === '/') return url.split('#', 1)[0]!.replace(/[^\x00-\x7f]+/g, encodeURIComponent);
  const start = url.indexOf('/', PAST_SCHEME);
  const hash = url.indexOf('#');
  if (start === -1) return '/';
  return hash === -1 ? url.slice(start) : url.slice(start, hash);
}

/** `products` for `/products/1?select=id`. */
export function firstPart(path: string): string {
  let end = 1;
  while (end < path.length && path.charCodeAt(end) !== SLASH && path.charCodeAt(end) !== QUESTION_MARK) end++;
  return path.slice(1, end);
}

function findTarget(path: string, prefix: string, catalogue: Catalogue, method: string): Addressed {
  const { collections, builtIn, closed, roles } = catalogue;
  const whole = collections.get(path.slice(1));
  if (whole !== undefined) return { collection: whole, target: COLLECTION };
  if (path.startsWith(`${OWN_PATH}/`)) {
    return findTarget(path.slice(OWN_PATH.length), prefix, { ...catalogue, collections: builtIn }, method);
  }
  const slash = path.indexOf('/', 1);
  const name = nameOfPart(slash === -1 ? path.slice(1) : path.slice(1, slash));
  const rest = slash === -1 ? undefined : path.slice(slash + 1);
  const collection = collections.get(name) ?? (closed?.has(name) === true ? undefined : builtIn.get(name));
  if (collection !== undefined && rest === undefined) return { collection, target: COLLECTION };
  // Only a key of one field fits into a path.
  if (collection?.key.length === 1 && rest !== undefined && rest !== '' && !rest.includes('/')) {
    return { collection, target: { kind: 'item', key: nameOfPart(rest) } };
  }
  if (closed?.has(name) === true) throw tableDenied(name);
  // A preflight request is anonymous, so its answer must not reveal collections.
  const mayListPaths = roles === undefined || method !== 'OPTIONS';
  const there =
    [...collections.keys()].map((each) => `${prefix}/${pathPart(each)}`).join(', ') || 'no collection for your role';
  if (rest !== undefined) {
    throw new ApiError('PGRST125', 'Invalid path specified in request URL', {
      hint: mayListPaths
        ? `Available: ${collection === undefined ? there : pathsOf(collection, prefix)}, without a trailing slash.`
        : undefined,
    });
  }
  throw mayListPaths ? unknownCollection(name, collections, `Available: ${there}.`) : unknownCollection(name);
}

/** The collection of that name; rejects one that does not exist, or that the role may not use. */
export function findCollection({ collections, closed }: Catalogue, name: string): Collection {
  const collection = collections.get(name);
  if (collection !== undefined) return collection;
  throw closed?.has(name) === true
    ? tableDenied(name)
    : unknownCollection(name, collections, `Available: ${[...collections.keys()].join(', ')}.`);
}

function unknownCollection(name: string, collections?: Catalogue['collections'], hint?: string): ApiError {
  const nearest = collections && nearestName(name, [...collections.keys()]);
  return new ApiError('PGRST205', `Could not find the table '${name}' in the schema cache`, {
    hint: nearest === undefined ? hint : `Perhaps you meant the table '${nearest}'`,
  });
}

function pathsOf({ name, key }: Collection, prefix: string): string {
  const path = `${prefix}/${pathPart(servedName(name))}`;
  if (key.length === 1) return `${path} and ${path}/<${key[0]!.name}>`;
  if (key.length === 0) return path;
  return `${path} and ${path}?${key.map(({ name }) => `${name}=eq.<${name}>`).join('&')}`;
}

function findMethod(method: string, addressed: Addressed): Method {
  const allowed = methodsOf(addressed) as readonly string[];
  if (allowed.includes(method)) return method as Method;
  throw unsupportedMethod(method, allowedMethods(addressed));
}

export function unsupportedMethod(method: string, allow: string): ApiError {
  return new ApiError('PGRST117', `Unsupported HTTP method: ${method}`, {
    hint: `Allowed here: ${allow}.`,
    headers: { allow },
  });
}

function methodsOf({ collection, target }: Addressed): readonly Method[] {
  return METHODS[isChangeLog(collection) || isFiles(collection) ? 'log' : target.kind];
}

export function allowedMethods(addressed: Addressed): string {
  return methodsOf(addressed).join(', ');
}
