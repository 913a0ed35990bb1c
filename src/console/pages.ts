/**
 * The pages `/console` and `/docs` with their assets. Asset names contain a hash, so that their content never changes.
 */

import { ApiError } from '../base/errors.ts';
import { lazyAsync } from '../base/memo.ts';
import { ANONYMOUS } from '../collection/access/caller.ts';
import { CHANGES_NAME } from '../collection/change-log.ts';
import type { CollectionDraft } from '../collection/draft.ts';
import { isImageField } from '../collection/image-field.ts';
import type { Call } from '../http/call.ts';
import { type Pages, readOnly } from '../http/pages.ts';
import { fileResponse, storeFile } from '../http/stored-file.ts';
import type { Described } from '../openapi/described.ts';
import { hasConsole, loadAssets } from './bundle.ts';
import { readGuide } from './guide/guide.ts';
import { INDEX, readGuideTexts } from './guide/texts.ts';
import { notInstalled, pageHtml, securityHeaders } from './html.ts';

export const DOCS_PATH = '/docs';
export const CONSOLE_PATH = '/console';
const ASSETS_PATH = `${CONSOLE_PATH}/assets/`;
export const GUIDE_PATH = `${DOCS_PATH}/guide`;

const HTML_TYPE = 'text/html; charset=utf-8';
const FOREVER = { 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' };

/** The console shows the history to a role that reads these fields of the log. */
const LOG_FIELDS = ['seq', 'at', 'request_id', 'collection', 'key', 'kind', 'before', 'after'];

const SCRIPT_PAGES = {
  console: { title: 'Product Catalogue', label: 'console' },
  docs: { title: 'Product Catalogue API', label: 'API reference' },
} as const;

interface ConsoleData extends Readonly<Record<string, unknown>> {
  readonly collections: readonly CollectionDraft[];
}

/** The page to which a browser is redirected from `/`. */
export function startPath(): string {
  return hasConsole() ? CONSOLE_PATH : GUIDE_PATH;
}

/** The catalogue as the caller sees it. */
type CatalogueOf = NonNullable<Parameters<Pages>[2]>;

/** Finds the caller's role and rights, which the page embeds. */
type AccountOf = (call: Call) => Promise<{ readonly role: string | null }>;

interface ConsoleOptions {
  /** Present if the catalogue has roles. A caller without a role gets the login page. */
  readonly accountOf?: AccountOf | undefined;
  /** Whether requests may read the declaration. */
  readonly hasSettings?: boolean;
}

export function consolePages(described: Described, { accountOf, hasSettings = false }: ConsoleOptions = {}): Pages {
  // Built at the first request, so that the service starts quickly.
  const assets = lazyAsync(loadAssets);

  /** A page that its scripts draw, or why it is not installed. */
  async function scriptPage(name: keyof typeof SCRIPT_PAGES, path: string, load?: () => Promise<ConsoleData>) {
    const { title, label } = SCRIPT_PAGES[name];
    const files = (await assets()).pages[name];
    const root = rootFrom(path);
    const nonce = crypto.randomUUID().replaceAll('-', '');
    const isInstalled = files.length > 0;
    const data = isInstalled ? await load?.() : undefined;
    const shell = { title, root, assets: files.map((file) => `${ASSETS_PATH}${file}`) };
    const html = isInstalled
      ? pageHtml(data === undefined ? shell : { ...shell, data: { root, ...data } }, nonce)
      : notInstalled(label, root);
    const pictures = data?.collections.some(({ fields }) => fields.some(isImageField)) ? 'any' : 'own';
    const headers = { 'content-type': HTML_TYPE, 'cache-control': 'no-store', ...securityHeaders(nonce, pictures) };
    return new Response(html, { status: isInstalled ? 200 : 404, headers });
  }

  /** The data that the console needs to start. */
  async function consoleData(call: Call, catalogueOf: CatalogueOf): Promise<ConsoleData> {
    const session = await accountOf?.(call);
    const catalogue = session?.role === null ? undefined : await catalogueOf();
    const collections = catalogue?.draft.collections ?? [];
    const visible = [...(catalogue?.collections.values() ?? [])];
    const partial = visible.flatMap(({ name, fields, view }) =>
      view && fields.length < view.of.fields.length ? name : [],
    );
    const isAdmin = accountOf === undefined ? hasSettings : described.catalogue.roles?.get(session?.role ?? '')?.isAll;
    const log = catalogue?.builtIn.get(CHANGES_NAME);
    const hidesActors = log?.fields.some(({ name }) => name === 'actor') === false;
    const hidesLog = !LOG_FIELDS.every((name) => log?.fields.some((field) => field.name === name) !== false);
    return {
      collections,
      version: described.version,
      session,
      ...(partial.length > 0 && { partial }),
      ...(isAdmin === true && session?.role !== ANONYMOUS.role && { settings: true }),
      ...(hidesActors && { hidesActors }),
      ...(hidesLog && { hidesLog }),
    };
  }

  /** The API reference: a viewer of the OpenAPI document, which the script loads. */
  async function referencePage(path: string, catalogueOf: CatalogueOf): Promise<Response> {
    await catalogueOf();
    return scriptPage('docs', path);
  }

  // A checkout shows its files as they are; an installation has them in its assets.
  const guide = lazyAsync(async () => readGuide(readGuideTexts() ?? (await assets()).guide));

  async function guidePage(name: string, call: Call, catalogueOf: CatalogueOf): Promise<Response> {
    await catalogueOf();
    const styles = (await assets()).pages.guide;
    const page = (await guide()).render(name, new URLSearchParams(call.query).get('q') ?? '', {
      root: rootFrom(`${GUIDE_PATH}/${name}`),
      styles: styles.map((file) => `${ASSETS_PATH}${file}`),
    });
    if (page === undefined) throw new ApiError('PGRST125', 'Invalid path specified in request URL');
    return fileResponse(storeFile(page, HTML_TYPE), call, { 'cache-control': 'no-cache', ...securityHeaders() });
  }

  async function asset(name: string, call: Call): Promise<Response> {
    const file = (await assets()).files.get(name);
    if (file === undefined) throw new ApiError('PGRST125', 'Invalid path specified in request URL');
    return fileResponse(file, call, FOREVER);
  }

  return (path, { call }, catalogueOf = () => described.catalogue) => {
    // Links of the reference are relative to the path without a trailing slash.
    if (path === `${DOCS_PATH}/`) return readOnly(call, () => redirect(`..${DOCS_PATH}`));
    if (path === GUIDE_PATH) return readOnly(call, () => redirect(`./guide/${INDEX}`));
    if (path.startsWith(`${GUIDE_PATH}/`))
      return readOnly(call, () => guidePage(path.slice(GUIDE_PATH.length + 1), call, catalogueOf));
    if (path === DOCS_PATH) return readOnly(call, () => referencePage(path, catalogueOf));
    if (path.startsWith(ASSETS_PATH)) return readOnly(call, () => asset(path.slice(ASSETS_PATH.length), call));
    // The console routes the paths below its own, such as /console/c/<collection>.
    if (path === CONSOLE_PATH || path.startsWith(`${CONSOLE_PATH}/`))
      return readOnly(call, () => scriptPage('console', path, () => consoleData(call, catalogueOf)));
    return undefined;
  };
}

/** The relative path from a page to the root of the service. */
function rootFrom(path: string): string {
  const depth = path.split('/').length - 2;
  return depth === 0 ? '.' : Array.from({ length: depth }, () => '..').join('/');
}

function redirect(location: string): Response {
  return new Response(null, { status: 308, headers: { location } });
}
