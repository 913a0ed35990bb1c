/** `/console` and `/docs` with the scripts they load, which are named by their content and so never change. */

import type { Collection } from '../collection/declaration.ts';
import { Refusal } from '../errors.ts';
import type { Pages } from '../http/pages.ts';
import { readOnly } from '../http/pages.ts';
import { fileResponse } from '../http/stored-file.ts';
import type { Assets, PageName } from './assets.ts';
import { loadAssets } from './bundle.ts';
import { pageHtml, securityHeaders } from './html.ts';

export const CONSOLE_PATH = '/console';
export const DOCS_PATH = '/docs';
const ASSETS_PATH = `${CONSOLE_PATH}/assets/`;

const FOREVER = { 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' };

export interface ConsoleOptions {
  readonly collection: Collection;
  readonly version: string;
}

export function consolePages({ collection, version }: ConsoleOptions): Pages {
  // Built by the first who asks, so that starting stays quick for everyone who never does.
  let assets: Promise<Assets> | undefined;
  const load = () => {
    assets ??= loadAssets().catch((error: unknown) => {
      assets = undefined;
      throw error;
    });
    return assets;
  };

  async function page(name: PageName, path: string): Promise<Response> {
    const { scripts } = await load();
    const nonce = crypto.randomUUID().replaceAll('-', '');
    const html = pageHtml(
      {
        title: name === 'console' ? 'Product Catalogue' : 'Product Catalogue API',
        root: path.endsWith('/') ? '..' : '.',
        scripts: scripts[name].map((script) => `${ASSETS_PATH}${script}`),
        ...(name === 'console' ? { data: { collection, version } } : {}),
      },
      nonce,
    );
    return new Response(html, {
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        // The reference writes styles into the pages it makes, which no nonce can cover.
        ...securityHeaders(nonce, name === 'docs'),
      },
    });
  }

  async function asset(name: string, request: Request): Promise<Response> {
    const file = (await load()).files.get(name);
    if (file === undefined) throw new Refusal('PGRST125', 'Invalid path specified in request URL');
    return fileResponse(file, request, FOREVER);
  }

  return (path, request) => {
    if (path === CONSOLE_PATH || path === `${CONSOLE_PATH}/`) return readOnly(request, () => page('console', path));
    if (path === DOCS_PATH || path === `${DOCS_PATH}/`) return readOnly(request, () => page('docs', path));
    if (path.startsWith(ASSETS_PATH)) return readOnly(request, () => asset(path.slice(ASSETS_PATH.length), request));
    return undefined;
  };
}
