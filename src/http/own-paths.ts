/** The paths of the service that are neither collections nor pages. They take POST. */
import { ApiError } from '../base/errors.ts';
import { decode } from '../base/net/query-string.ts';
import type { Catalogue } from '../collection/declaration.ts';
import { PERSONAL_COLLECTIONS } from '../collection/own-collections.ts';

/** Below this path, the names of the service are available whatever the collections are called. */
export const OWN_PATH = '/catalogue';
export const BATCH_PATH = '/batch';
export const UNDO_PATH = '/changes/undo';
export const RPC_PATH = '/rpc';
export const FILES_PATH = '/files';
export const OWN_METHODS = 'OPTIONS, POST';

type OwnPath = typeof BATCH_PATH | typeof UNDO_PATH;

/** The own path that a request addresses: below /catalogue, or without it unless a collection has its name. */
export function ownPathOf(path: string, catalogue: Pick<Catalogue, 'collections'>): OwnPath | undefined {
  const isBelow = path.startsWith(OWN_PATH);
  const rest = isBelow ? path.slice(OWN_PATH.length) : path;
  const named = isPath(rest, BATCH_PATH) ? BATCH_PATH : isPath(rest, UNDO_PATH) ? UNDO_PATH : undefined;
  return named === undefined || isBelow || shortestPath(named, catalogue) === named ? named : undefined;
}

function isPath(path: string, name: OwnPath): boolean {
  return path.startsWith(name) && (path.length === name.length || path[name.length] === '?');
}

/** The part of the path after /files, without the query; undefined for another path. */
export function pathBelowFiles(path: string, catalogue: Pick<Catalogue, 'collections'>): string | undefined {
  const start = path.startsWith(OWN_PATH) ? OWN_PATH.length : 0;
  if (!path.startsWith(FILES_PATH, start)) return undefined;
  const rest = path.slice(start + FILES_PATH.length).split('?', 1)[0]!;
  const isServed = start > 0 || shortestPath(FILES_PATH, catalogue) === FILES_PATH;
  return isServed && (rest === '' || rest[0] === '/') ? rest : undefined;
}

/** `low_stock` for /rpc/low_stock; undefined for another path. */
export function routineNameOf(path: string, catalogue: Pick<Catalogue, 'collections'>): string | undefined {
  const start = path.startsWith(OWN_PATH) ? OWN_PATH.length : 0;
  if (!path.startsWith(`${RPC_PATH}/`, start)) return undefined;
  const name = path.slice(start + RPC_PATH.length + 1).split('?', 1)[0]!;
  const isServed = start > 0 || shortestPath(RPC_PATH, catalogue) === RPC_PATH;
  return isServed && name !== '' && !name.includes('/') ? decode(name) : undefined;
}

/** `views` for /catalogue/views and its rows, and for /views unless a collection has this name. */
export function personalNameOf(path: string, { collections }: Pick<Catalogue, 'collections'>): string | undefined {
  const start = path.startsWith(`${OWN_PATH}/`) ? OWN_PATH.length + 1 : 1;
  for (const name of PERSONAL_COLLECTIONS.keys()) {
    const isNamed = path.startsWith(name, start) && /^[/?]?$/.test(path.charAt(start + name.length));
    if (isNamed && (start > 1 || !collections.has(name))) return name;
  }
  return undefined;
}

/** A path of the service, below /catalogue if a collection has its name. */
export function shortestPath(path: string, { collections }: Pick<Catalogue, 'collections'>): string {
  return collections.has(path.split('/')[1]!) ? OWN_PATH + path : path;
}

export function checkPost(method: string): void {
  if (method === 'POST') return;
  throw new ApiError('PGRST117', `Unsupported HTTP method: ${method}`, {
    hint: `Allowed here: ${OWN_METHODS}.`,
    headers: { allow: OWN_METHODS },
  });
}
