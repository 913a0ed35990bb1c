/** `GET /` and `GET /openapi.json`: the description for tools; a browser is led to the console. */

import type { Catalogue } from '../collection/declaration.ts';
import { Refusal } from '../errors.ts';
import { CORS_HEADERS } from '../http/cors.ts';
import type { Pages } from '../http/pages.ts';
import { readOnly } from '../http/pages.ts';
import { FORWARDED_PREFIX } from '../http/prefix.ts';
import { fileResponse, type StoredFile, storeFile } from '../http/stored-file.ts';
import { oncePer } from '../once-per.ts';
import type { Described } from './described.ts';
import { DESCRIPTION_PATHS, OPENAPI_MEDIA_TYPE } from './description-path.ts';
import { openApiDocument } from './document.ts';

/** What `/` can answer with, by the media types a client may name for it. */
const READABLE = ['*/*', 'application/*', 'application/json', OPENAPI_MEDIA_TYPE];
const HTML = 'text/html';
/** Which request headers a description depends on, beside its coding. */
const VARY = `Accept, ${FORWARDED_PREFIX}`;

/** Documents kept, one for each prefix that was asked for; with more prefixes than any setup has, they are made anew. */
const KEPT_DOCUMENTS = 8;

/** A browser is led to `startPath`. */
export function openApiPages(described: Described, startPath: () => string): Pages {
  // Made when first asked for, and then kept: most clients of the collection never read it.
  // Of the catalogue as each role sees it.
  const documentsOf = oncePer((_catalogue: Catalogue) => new Map<string, Record<string, StoredFile>>());
  const filesFor = (catalogue: Catalogue, prefix: string): Record<string, StoredFile> => {
    const documents = documentsOf(catalogue);
    const known = documents.get(prefix);
    if (known !== undefined) return known;
    const text = JSON.stringify(openApiDocument({ ...described, catalogue }, prefix), null, 1);
    const files = {
      '/': storeFile(text, `${OPENAPI_MEDIA_TYPE}; charset=utf-8`),
      '/openapi.json': storeFile(text, 'application/json; charset=utf-8'),
    };
    if (documents.size >= KEPT_DOCUMENTS) documents.clear();
    documents.set(prefix, files);
    return files;
  };
  return (path, request, prefix, seen) => {
    if (!(DESCRIPTION_PATHS as readonly string[]).includes(path)) return undefined;
    return readOnly(request, () => {
      const wanted = path === '/' ? preferred(request.headers.get('accept')) : OPENAPI_MEDIA_TYPE;
      if (wanted === HTML)
        return new Response(null, { status: 303, headers: { location: `${prefix}${startPath()}`, vary: VARY } });
      const headers = { ...CORS_HEADERS, 'cache-control': 'no-cache', vary: VARY };
      const answer = (catalogue: Catalogue) => fileResponse(filesFor(catalogue, prefix)[path]!, request, headers);
      const catalogue = seen?.() ?? described.catalogue;
      return catalogue instanceof Promise ? catalogue.then(answer) : answer(catalogue);
    });
  };
}

/** The first that can be served, by the order the client wrote them in: browsers put text/html first. */
function preferred(accept: string | null): string {
  const types = (accept ?? '*/*').split(',').map((range) => range.split(';', 1)[0]!.trim().toLowerCase());
  const found = types.find((type) => type === HTML || READABLE.includes(type));
  if (found !== undefined) return found;
  throw new Refusal('PGRST107', `None of these media types are available: ${accept}`, {
    hint: `Available: ${OPENAPI_MEDIA_TYPE}, application/json, ${HTML}.`,
  });
}
