/** `GET /` and `GET /openapi.json`: the description for tools; a browser is led to the console. */

import { Refusal } from '../errors.ts';
import { CORS_HEADERS } from '../http/cors.ts';
import type { Pages } from '../http/pages.ts';
import { readOnly } from '../http/pages.ts';
import { fileResponse, type StoredFile, storeFile } from '../http/stored-file.ts';
import { DESCRIPTION_PATHS, OPENAPI_MEDIA_TYPE } from './description-path.ts';
import { type Described, openApiDocument } from './document.ts';

/** What `/` can answer with, by the media types a client may name for it. */
const READABLE = ['*/*', 'application/*', 'application/json', OPENAPI_MEDIA_TYPE];
const HTML = 'text/html';

/** A browser is led to `startPath`. */
export function openApiPages(described: Described, startPath: () => string): Pages {
  // Made when first asked for, and then kept: most clients of the collection never read it.
  let files: Record<string, StoredFile> | undefined;
  const file = (path: string) => {
    if (files === undefined) {
      const text = JSON.stringify(openApiDocument(described), null, 1);
      files = {
        '/': storeFile(text, `${OPENAPI_MEDIA_TYPE}; charset=utf-8`),
        '/openapi.json': storeFile(text, 'application/json; charset=utf-8'),
      };
    }
    return files[path]!;
  };
  return (path, request) => {
    if (!(DESCRIPTION_PATHS as readonly string[]).includes(path)) return undefined;
    return readOnly(request, () => {
      const wanted = path === '/' ? preferred(request.headers.get('accept')) : OPENAPI_MEDIA_TYPE;
      if (wanted === HTML)
        return new Response(null, { status: 303, headers: { location: startPath(), vary: 'Accept' } });
      return fileResponse(file(path), request, { ...CORS_HEADERS, 'cache-control': 'no-cache' });
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
