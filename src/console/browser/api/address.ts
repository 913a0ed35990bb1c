/** The address of the page, without the decoding of the router: keys and filters contain any character. */
import { usePathname, useSearch } from 'wouter/use-browser-location';
import { type Collection, collectionNamed } from './catalogue.ts';
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
  const collection = collectionNamed(decodeURIComponent(name));
  return { area, collection, key: key === '' ? undefined : key, query: useSearch() };
}
