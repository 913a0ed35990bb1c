/** The address of the page, without the decoding of the router: keys and filters contain any character. */
import { navigate, usePathname, useSearch } from 'wouter/use-browser-location';
import { type Collection, collectionNamed } from './catalogue.ts';
import { conditionsOn, type ListQuery, listAddress, type Pair, parseQuery, withOwn } from './query/list.ts';
import { decoded } from './query/text.ts';
import { base } from './session/page-data.ts';

export const consoleBase = `${base}/console`;

interface Address {
  /** The first part of the path: `c`, `new`, `import`, `changes`, `settings`. */
  readonly area: string;
  readonly collection: Collection | undefined;
  /** The encoded key of a row, as `keyText` makes it. */
  readonly key: string | undefined;
  /** The query, with its encoding. */
  readonly query: string;
}

export function useAddress(): Address {
  const [, area = '', name = '', key = ''] = usePathname().slice(consoleBase.length).split('/');
  const collection = collectionNamed(decoded(name));
  return { area, collection, key: key === '' ? undefined : key, query: useSearch() };
}

/** Shows another page of the console. With `replace`, Back skips the page before. */
export const goTo = (address: string, options: { readonly replace?: boolean } = {}): void =>
  navigate(`${consoleBase}${address}`, options);

/** The list in the address now. A page that is about to be drawn may still have the one before. */
const currentQuery = (collection: Collection): ListQuery => parseQuery(collection, location.search.slice(1));

/** Shows a list with other filters, another search or order. */
export const changeList = (collection: Collection, changes: Partial<ListQuery>, options?: Parameters<typeof goTo>[1]) =>
  goTo(listAddress({ ...currentQuery(collection), ...changes }), options);

/** Sets a parameter of the console in the address of a list, or removes it. */
export const setOwn = (
  collection: Collection,
  name: string,
  value: string | undefined,
  options?: Parameters<typeof goTo>[1],
) => goTo(listAddress(withOwn(currentQuery(collection), name, value)), options);

/** Changes the conditions of a filter. `change` gets those of the address now. */
export function setFilter(
  collection: Collection,
  name: string,
  change: (conditions: readonly string[]) => readonly string[],
): void {
  const query = currentQuery(collection);
  const others = query.filters.filter(([each]) => each !== name);
  const conditions = change(conditionsOn(query, name));
  changeList(collection, { filters: [...others, ...conditions.map((each): Pair => [name, each])] });
}
