/** Serves the OpenAPI document at `/`, `/openapi.json` and `/openapi/<collection>.json`. `/` redirects browsers. */

import { ApiError } from '../base/errors.ts';
import { keepRecent, memoize } from '../base/memo.ts';
import { nameOfPart } from '../base/net/query-string.ts';
import type { Catalogue } from '../collection/declaration.ts';
import { findCollection } from '../http/call.ts';
import { CORS_HEADERS } from '../http/edge/cors.ts';
import { FORWARDED_PREFIX } from '../http/edge/prefix.ts';
import type { Pages } from '../http/pages.ts';
import { readOnly } from '../http/pages.ts';
import type { Described } from './describe.ts';
import { onlyCollection, openApiText } from './document.ts';
import { type PackedText, packedResponse, packText } from './packed-text.ts';
import { OPENAPI_MEDIA_TYPE } from './paths/description-path.ts';

/** The media types in `Accept` that `/` can answer with the document. */
const READABLE = ['*/*', 'application/*', 'application/json', OPENAPI_MEDIA_TYPE];
const HTML = 'text/html';
/** The request headers that decide the document, in addition to its coding. */
const VARY = `Accept, ${FORWARDED_PREFIX}`;

/** Whole documents that the cache keeps for a role, one per prefix. */
const MAX_DOCUMENTS = 8;
/** Documents of single collections that the cache keeps for a role. */
const MAX_PARTS = 100;

/** `startPath` is where browsers go. */
export function openApiPages(described: Described, startPath: () => string): Pages {
  // One cache for each catalogue, which is the catalogue as a role sees it. Most clients never ask for a document.
  const documentsOf = memoize((_catalogue: Catalogue) => keepRecent<PackedText>(MAX_DOCUMENTS));
  const partsOf = memoize((_catalogue: Catalogue) => keepRecent<PackedText>(MAX_PARTS));
  const documentOf = (catalogue: Catalogue, prefix: string, name: string | undefined): Promise<PackedText> => {
    const visible = { ...described, catalogue };
    if (name === undefined) return documentsOf(catalogue)(prefix, () => packText(openApiText(visible, prefix)));
    const part = () => packText(openApiText(onlyCollection(visible, name), prefix));
    return partsOf(catalogue)(`${prefix}/${findCollection(catalogue, name).name}`, part);
  };
  return (path, request, prefix, loadVisibleCatalogue) => {
    const name = collectionIn(path);
    const isWhole = path === '/' || path === '/openapi.json';
    if (!isWhole && name === undefined) return undefined;
    return readOnly(request, async () => {
      const mediaType = path === '/' ? preferred(request.headers.get('accept')) : OPENAPI_MEDIA_TYPE;
      if (mediaType === HTML)
        return new Response(null, { status: 303, headers: { location: `${prefix}${startPath()}`, vary: VARY } });
      const type = path === '/' ? OPENAPI_MEDIA_TYPE : 'application/json';
      const document = await documentOf((await loadVisibleCatalogue?.()) ?? described.catalogue, prefix, name);
      return packedResponse(document, request, {
        ...CORS_HEADERS,
        'cache-control': 'no-cache',
        vary: VARY,
        'content-type': `${type}; charset=utf-8`,
      });
    });
  };
}

/** The collection in `/openapi/products.json`. */
function collectionIn(path: string): string | undefined {
  const name = /^\/openapi\/([^/]+)\.json$/.exec(path)?.[1];
  return name && nameOfPart(name);
}

/** The first that can be served, by the order the client wrote them in: browsers put text/html first. */
function preferred(accept: string | null): string {
  const types = (accept ?? '*/*').split(',').map((range) => range.split(';', 1)[0]!.trim().toLowerCase());
  const mediaType = types.find((type) => type === HTML || READABLE.includes(type));
  if (mediaType !== undefined) return mediaType;
  throw new ApiError('PGRST107', `None of these media types are available: ${accept}`, {
    hint: `Available: ${OPENAPI_MEDIA_TYPE}, application/json, ${HTML}.`,
  });
}
