/** The pages of the API reference: `/docs`, an index of the collections, and `/docs/<collection>`. */

import { schedule, type Task } from '../base/cooperative.ts';
import { keepRecent, memoize } from '../base/memo.ts';
import { pathPart } from '../base/net/query-string.ts';
import type { Catalogue } from '../collection/declaration.ts';
import { findCollection } from '../http/call.ts';
import { type StoredFile, storeFile } from '../http/stored-file.ts';
import type { Described } from '../openapi/describe.ts';
import { buildDocument, onlyCollection, onlyService } from '../openapi/document.ts';
import type { OpenApi } from '../openapi/reference/document.ts';
import { referencePage } from '../openapi/reference/page.ts';
import { ICON } from './html.ts';

export const DOCS_PATH = '/docs';
export const HTML_TYPE = 'text/html; charset=utf-8';

/** Pages that the cache keeps for a role. */
const MAX_PAGES = 100;

/** The page of a collection, or the index, for the catalogue as a role sees it. `assets` are the scripts and styles. */
export function referenceFiles(
  described: Described,
  assets: () => Promise<readonly string[]>,
): (catalogue: Catalogue, name: string | undefined) => Promise<StoredFile> {
  const filesOf = memoize((_catalogue: Catalogue) => keepRecent<StoredFile>(MAX_PAGES));
  return async (catalogue, name) => {
    if (name !== undefined) findCollection(catalogue, name);
    return filesOf(catalogue)(name ?? '', async () => {
      const loaded = await assets();
      return storeFile(await schedule(buildPage({ ...described, catalogue }, name, loaded)), HTML_TYPE);
    });
  };
}

function* buildPage(described: Described, name: string | undefined, assets: readonly string[]): Task<string> {
  const part = name === undefined ? onlyService(described) : onlyCollection(described, name);
  const document = (yield* buildDocument(part)) as unknown as OpenApi;
  const root = name === undefined ? '.' : '..';
  const loaded = assets.map((path) => `${root}${path}`);
  const links = {
    root,
    scripts: loaded.filter((path) => path.endsWith('.js')),
    styles: loaded.filter((path) => path.endsWith('.css')),
    icon: ICON,
    document: name === undefined ? './openapi.json' : `../openapi/${pathPart(name)}.json`,
    console: `${root}/console`,
    ...(name === undefined ? {} : { index: `..${DOCS_PATH}` }),
  };
  const listed = name === undefined ? [...described.catalogue.collections.values()] : [];
  const pages = listed.map((each) => ({ name: each.name, title: each.title, href: `docs/${pathPart(each.name)}` }));
  return yield* referencePage(document, links, pages);
}
