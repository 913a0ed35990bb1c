/** The address of the page, without the decoding of the router: keys and filters contain any character. */
import { usePathname, useSearch } from 'wouter/use-browser-location';
import { type Collection, collectionNamed } from '../api/catalogue.ts';
import { base } from '../api/session/page-data.ts';

export const consoleBase = `${base}/console`;

/** The query of the address, with its encoding. */
export const useQueryText: () => string = useSearch;

interface PageAddress {
  readonly collection: Collection | undefined;
  /** The encoded key of a row, as `keyText` makes it. */
  readonly key: string | undefined;
}

export function usePageAddress(): PageAddress {
  const [, area, name, key] = usePathname().slice(consoleBase.length).split('/');
  return {
    collection: area === 'c' && name !== undefined ? collectionNamed(decodeURIComponent(name)) : undefined,
    key: key === undefined || key === '' ? undefined : key,
  };
}
