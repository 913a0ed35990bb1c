/** The paths of the service's own names: always below /catalogue, and directly unless a collection has the name. */
import type { Catalogue } from '../collection/declaration.ts';

export const OWN_PATH = '/catalogue';

/** The part of the path after `/name` or `/catalogue/name`, without the query; undefined for another path. */
export function ownRest(
  path: string,
  name: string,
  { collections }: Pick<Catalogue, 'collections'>,
): string | undefined {
  const isBelow = path.startsWith(OWN_PATH) && path.startsWith(name, OWN_PATH.length + 1);
  const start = isBelow ? OWN_PATH.length : 0;
  if (!path.startsWith(name, start + 1) || (!isBelow && collections.has(name))) return undefined;
  const rest = path.slice(start + name.length + 1).split('?', 1)[0]!;
  return rest === '' || rest[0] === '/' ? rest : undefined;
}

/** The shortest path of the name. */
export function shortestPath(name: string, { collections }: Pick<Catalogue, 'collections'>): string {
  return collections.has(name) ? `${OWN_PATH}/${name}` : `/${name}`;
}
