/** Serves the OpenAPI document at `/openapi.json`, and one in PostgREST's shape at `/`, which redirects browsers. */
import { schedule, type Task } from '../base/cooperative.ts';
import { ApiError } from '../base/errors.ts';
import { keepRecent, memoize } from '../base/memo.ts';
import type { Catalogue } from '../collection/declaration.ts';
import { CORS_HEADERS } from '../http/edge/origins.ts';
import { FORWARDED_PREFIX } from '../http/edge/prefix.ts';
import type { Pages } from '../http/pages.ts';
import { readOnly } from '../http/pages.ts';
import { fileResponse, type StoredFile, storeFile } from '../http/stored-file.ts';
import type { JsonObject } from './component.ts';
import { type Described, OPENAPI_MEDIA_TYPE } from './described.ts';

/** The media types in `Accept` that `/` can answer with the document. */
const READABLE = ['*/*', 'application/*', 'application/json', OPENAPI_MEDIA_TYPE];
const HTML = 'text/html';
/** The request headers that decide the document, in addition to its coding. */
const VARY = `Accept, ${FORWARDED_PREFIX}`;

/** Documents that the cache keeps for a role, two per prefix. */
const MAX_DOCUMENTS = 16;

/** `startPath` is where browsers go. */
export function openApiPages(described: Described, startPath: () => string): Pages {
  // One cache for each catalogue, which is the catalogue as a role sees it. Most clients never ask for a document.
  const documentsOf = memoize((_catalogue: Catalogue) => keepRecent<StoredFile>(MAX_DOCUMENTS));
  const documentOf = (catalogue: Catalogue, path: string, prefix: string) =>
    documentsOf(catalogue)(`${path} ${prefix}`, async () => {
      const build =
        path === '/' ? (await import('./swagger.ts')).buildSwagger : (await import('./document.ts')).buildDocument;
      return schedule(documentFile(build({ ...described, catalogue }, prefix)));
    });
  return (path, { call }, loadVisibleCatalogue) => {
    if (path !== '/' && path !== '/openapi.json') return undefined;
    const { prefix } = call.location;
    return readOnly(call, async () => {
      const mediaType = path === '/' ? preferred(call.accept) : OPENAPI_MEDIA_TYPE;
      if (mediaType === HTML)
        return new Response(null, { status: 303, headers: { location: `${prefix}${startPath()}`, vary: VARY } });
      const type = path === '/' ? OPENAPI_MEDIA_TYPE : 'application/json';
      const document = await documentOf((await loadVisibleCatalogue?.()) ?? described.catalogue, path, prefix);
      const file = { ...document, contentType: `${type}; charset=utf-8` };
      return fileResponse(file, call, { ...CORS_HEADERS, 'cache-control': 'no-cache', vary: VARY });
    });
  };
}

function* documentFile(build: Task<JsonObject>): Task<StoredFile> {
  return storeFile(JSON.stringify(yield* build), OPENAPI_MEDIA_TYPE);
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
