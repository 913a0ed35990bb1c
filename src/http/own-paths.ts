/** The paths of the service that are neither collections nor pages. */
import type { Catalogue } from '../collection/declaration.ts';

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
