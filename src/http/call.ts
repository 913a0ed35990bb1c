/**
 * Stage 1, http: a request as the later stages want it.
 *
 * In: a `Request`. Out: a `Call`: its method, what it is addressed to, its query, its headers, its body on demand.
 * Guarantees: the method fits the target, the URL is within its limit. Refuses: 404, 405, 414, and for bodies 400, 413,
 * 415. Knows no SQL.
 */
import type { Collection } from '../collection/declaration.ts';
import { areDigits } from '../digits.ts';
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
  readonly target: Target;
  /** Path and query as sent. */
  readonly url: string;
  /** The text after `?`. */
  readonly query: string;
  readonly request: Request;
  readonly atWork: AtWork | undefined;
}

/** Told when the service begins to work at an answer, and when it has done so: in between its connection is not idle. */
export type AtWork = (isAtWork: boolean) => void;

/** Whatever takes its time for a call, other than the client itself. */
export function working<T>({ atWork }: Call, work: T | Promise<T>): T | Promise<T> {
  if (atWork === undefined || !(work instanceof Promise)) return work;
  atWork(true);
  return work.finally(() => atWork(false));
}

const COLLECTION: Target = { kind: 'collection' };

/** `url` is the request's path and query, `named` its method, which costs something each time a request is asked for it. */
export function readCall(
  named: string,
  url: string,
  request: Request,
  collection: Collection,
  atWork: AtWork | undefined,
): Call {
  if (url.length > MAX_URL_LENGTH) {
    throw new Refusal('CAT414', `the URL is longer than ${MAX_URL_LENGTH} characters`, {
      hint: 'Ask in several requests, with fewer values in each.',
    });
  }
  const mark = url.indexOf('?');
  const end = mark === -1 ? url.length : mark;
  const target = plainTarget(url, end, collection.name) ?? findTarget(url.slice(0, end), collection);
  const method = findMethod(named, target);
  return { method, target, url, query: mark === -1 ? '' : url.slice(mark + 1), request, atWork };
}

/** A slash from here on is not the scheme's: after `http://` comes at least one character of a host. */
const PAST_SCHEME = 'http://'.length + 1;

/** A request without a usable Host has no scheme and host in its URL, and whatever bytes were sent: no header may hold those. */
export function pathAndQuery(url: string): string {
  if (url[0] === '/') return url.split('#', 1)[0]!.replace(/[^\x00-\x7f]+/g, encodeURIComponent);
  const start = url.indexOf('/', PAST_SCHEME);
  const hash = url.indexOf('#');
  if (start === -1) return '/';
  return hash === -1 ? url.slice(start) : url.slice(start, hash);
}

/** What most paths are, told without taking them apart: the collection's, or that and a number. */
function plainTarget(url: string, end: number, name: string): Target | undefined {
  if (!url.startsWith(name, 1)) return undefined;
  const after = name.length + 1;
  if (end === after) return COLLECTION;
  if (url[after] !== '/' || !areDigits(url, after + 1, end)) return undefined;
  return { kind: 'item', key: url.slice(after + 1, end) };
}

function findTarget(path: string, collection: Collection): Target {
  const prefix = `/${collection.name}`;
  const parts = path.split('/').slice(1).map(decode);
  const [name = '', key, ...rest] = parts;
  if (name === collection.name && key === undefined) return COLLECTION;
  if (name === collection.name && key !== undefined && key !== '' && rest.length === 0) return { kind: 'item', key };
  if (parts.length > 1) {
    throw new Refusal('PGRST125', 'Invalid path specified in request URL', {
      hint: `There is ${prefix} and ${prefix}/<${collection.key.name}>, without a slash at the end.`,
    });
  }
  const nearest = nearestName(name, [collection.name]);
  throw new Refusal('PGRST205', `Could not find the table '${name}' in the schema cache`, {
    hint: nearest === undefined ? `The collection is at ${prefix}.` : `Perhaps you meant the table '${nearest}'`,
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
