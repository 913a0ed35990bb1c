/** The target of a path. Names and keys are as in the path, percent-encoded. */
import type { Catalogue } from '../collection/declaration.ts';
import { FILES_NAME } from '../collection/files.ts';
import { PERSONAL_COLLECTIONS } from '../collection/own-collections.ts';

/** The rows of a collection, or one row; `nowhere` if the path has too many parts. */
export interface RowsTarget {
  readonly kind: 'collection' | 'item' | 'field' | 'nowhere';
  /** Whether the path is below /catalogue, where only the collections of the service are. */
  readonly isOwn: boolean;
  readonly name: string;
  readonly key?: string;
  /** A field of the row, which takes files. */
  readonly field?: string;
}

/** `route` names the target in metrics, the same for any key. Rows and routines have one when they are found. */
export type Target =
  | RowsTarget
  | { readonly kind: 'batch' | 'undo' | 'files'; readonly route: string }
  | { readonly kind: 'routine'; readonly name: string }
  /** The bytes of a file. */
  | { readonly kind: 'file'; readonly id: string; readonly name: string; readonly route: string }
  /** Stored views and presence, the rows of one caller. */
  | { readonly kind: 'personal'; readonly name: string; readonly rows: RowsTarget }
  /** Accounts, roles, the declaration, webhooks and backups. */
  | { readonly kind: 'resource'; readonly name: string; readonly key?: string; readonly route: string }
  /** A path without /catalogue and without the query. */
  | { readonly kind: 'page'; readonly path: string };

const RESOURCES = ['users', 'keys', 'sessions', 'logins', 'roles', 'declaration', 'webhooks', 'backups'];
const PAGES = ['', 'openapi.json', 'docs', 'console', 'auth', 'live', 'ready', 'metrics', 'mcp'];

/** A path of the service is below /catalogue, and also without it unless a collection has its name. */
export function targetOf(path: string, { collections, builtIn }: Pick<Catalogue, 'collections' | 'builtIn'>): Target {
  const mark = path.indexOf('?');
  const whole = mark === -1 ? path : path.slice(0, mark);
  const slash = whole.indexOf('/', 1);
  const isDeclared = collections.has(slash === -1 ? whole.slice(1) : whole.slice(1, slash));
  return (isDeclared ? undefined : ownTarget(whole, builtIn)) ?? rowsTarget(whole);
}

function ownTarget(path: string, builtIn: Catalogue['builtIn']): Target | undefined {
  const isOwn = isBelowOwn(path);
  const below = isOwn ? path.slice(OWN_PATH.length) : path;
  if (below === BATCH_PATH) return { kind: 'batch', route: BATCH_PATH };
  if (below === UNDO_PATH) return { kind: 'undo', route: UNDO_PATH };
  const [name = '', key, last, ...others] = below.slice(1).split('/');
  if (PAGES.includes(name)) return { kind: 'page', path: below };
  if (PERSONAL_COLLECTIONS.has(name)) return { kind: 'personal', name, rows: rowsTarget(path) };
  if (`/${name}` === FILES_PATH && builtIn.has(FILES_NAME)) {
    if (key === undefined) return { kind: 'files', route: FILES_PATH };
    if (!key || !last || others.length > 0) return undefined;
    return { kind: 'file', id: key.toLowerCase(), name: last, route: `${FILES_PATH}/:id/:name` };
  }
  if (last !== undefined || key === '') return undefined;
  if (`/${name}` === RPC_PATH && key !== undefined) return { kind: 'routine', name: key };
  if (!isOwn || !RESOURCES.includes(name)) return undefined;
  const route = `${OWN_PATH}/${name}`;
  return key === undefined
    ? { kind: 'resource', name, route }
    : { kind: 'resource', name, key, route: `${route}/:name` };
}

/** The rows that a path without a query addresses. */
export function rowsTarget(path: string): RowsTarget {
  const isOwn = isBelowOwn(path);
  const start = isOwn ? OWN_PATH.length + 1 : 1;
  const slash = path.indexOf('/', start);
  if (slash === -1) return { kind: 'collection', isOwn, name: path.slice(start) };
  const name = path.slice(start, slash);
  const next = path.indexOf('/', slash + 1);
  const key = next === -1 ? path.slice(slash + 1) : path.slice(slash + 1, next);
  const field = next === -1 ? undefined : path.slice(next + 1);
  if (key === '' || field === '' || field?.includes('/')) return { kind: 'nowhere', isOwn, name };
  return field === undefined ? { kind: 'item', isOwn, name, key } : { kind: 'field', isOwn, name, key, field };
}

function isBelowOwn(path: string): boolean {
  return path.startsWith(OWN_PATH) && path[OWN_PATH.length] === '/';
}

/** Below this path, the names of the service are available whatever the collections are called. */
export const OWN_PATH = '/catalogue';
export const BATCH_PATH = '/batch';
export const UNDO_PATH = '/changes/undo';
export const RPC_PATH = '/rpc';
export const FILES_PATH = '/files';

/** A path of the service, below /catalogue if a collection has its name. */
export function shortestPath(path: string, { collections }: Pick<Catalogue, 'collections'>): string {
  return collections.has(path.split('/')[1]!) ? OWN_PATH + path : path;
}
