/** A real browser for the tests: Chromium, driven by playwright-core, against the real program. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'bun:test';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Download,
  type Page,
  type Request,
} from 'playwright-core';
import { restoring } from '../engines/sqlite.ts';
import { cleanUp, type Launch, type Service, startService, temporaryFolder, until } from '../processes/process.ts';
import { CHROMIUM, LAUNCH_OPTIONS, NO_CHROMIUM } from './chromium.ts';

/** Whether to take screenshots for the documentation. The default is off, so that a test run changes no file. */
const TAKES_PICTURES = process.env.TAKE_SCREENSHOTS === '1';
const PICTURES = fileURLToPath(new URL('../../../docs/img/', import.meta.url));
/** The time in milliseconds that a dialog takes to fade in. */
const FADED_IN_MS = 500;

export type Product = Readonly<Record<string, string | number | null>> & { readonly id: number };

/** The setup of a story: a service with the 77 products, and a page that records unexpected events. */
export interface Stage {
  readonly page: Page;
  readonly service: Service;
  /** Errors, blocked resources, and requests to other hosts. Each story must end without any. */
  readonly complaints: string[];
  /** Opens a page of the console, given the part of its address after `/console`. */
  readonly open: (place: string) => Promise<unknown>;
  /** Opens a page with other settings: a narrow screen, a dark theme, or another address of the service. */
  readonly reopen: (options: BrowserContextOptions, origin?: string) => Promise<void>;
  readonly ask: <T>(path: string) => Promise<T>;
  readonly product: (id: number) => Promise<Product>;
  readonly until: (text: string | RegExp) => Promise<void>;
  readonly choose: (label: string, option: string | RegExp) => Promise<void>;
  readonly picture: (name: string) => Promise<void>;
}

/** Returns the launch options for the database of a story. */
export type Database = () => Partial<Launch> | Promise<Partial<Launch>>;
const inFile: Database = () => ({});

/** One browser for all stories: the one of `npm test`, or one of this process. */
let shared: Promise<Profile> | undefined;

/**
 * The profile of all stories that need no other settings. A story gets a page of its own, and storage without entries.
 * Its opener stays open, so that all pages share one process, which has compiled the scripts already: a story takes a
 * quarter less CPU time for its first page.
 */
interface Profile {
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly opener: Page;
}

async function openProfile(): Promise<Profile> {
  const { TEST_BROWSER_URL } = process.env;
  const browser = await (TEST_BROWSER_URL === undefined
    ? chromium.launch(LAUNCH_OPTIONS)
    : chromium.connect(TEST_BROWSER_URL));
  const context = await newContext(browser, USUAL);
  const opener = await context.newPage();
  // A document of the console, because one with another opener policy would have another process.
  await opener.route(/\/assets\//, (route) => route.abort());
  return { browser, context, opener };
}

export interface StoriesOptions {
  /** Whether the stories are independent of each other's data, so that all can share one service. */
  readonly areApart?: boolean;
}

/**
 * Runs stories in a browser. After a story that has stored something, the next one gets the first rows again, or a new
 * service if the database is not a file of its own.
 */
export function browserStories(
  name: string,
  tell: (stage: Stage) => void,
  database = inFile,
  { areApart = false }: StoriesOptions = {},
): void {
  if (CHROMIUM === undefined) throw new Error(NO_CHROMIUM);
  describe(`${name} in a browser`, () => {
    let profile: Profile;
    let service: Service | undefined;
    let restore: (() => Promise<void>) | undefined;
    let page: Page;
    let isChanged = false;
    const complaints: string[] = [];
    const noteWrite = (method: string, prefer: string | null | undefined) => {
      if (!/^(GET|HEAD|OPTIONS)$/.test(method) && !prefer?.includes('tx=rollback')) isChanged = true;
    };
    const note = (request: Request) => noteWrite(request.method(), request.headers().prefer);
    const endPage = async () => {
      const { context, opener } = profile;
      const own = page.context();
      own.off('request', note);
      if (own !== context) return own.close();
      await Promise.all(context.pages().map((each) => each === opener || each.close()));
    };

    let origin: string;

    beforeAll(async () => {
      shared ??= openProfile();
      profile = await shared;
    });
    beforeEach(async () => {
      if (service?.hasExited()) await end();
      else if (isChanged && !areApart) await startAgain();
      if (service === undefined) {
        const started = await startOn(database);
        service = noting(started.service, noteWrite);
        restore = started.restore;
      }
      origin = service.url;
      page = await newPage(profile, origin);
      page.context().on('request', note);
      complain(page, origin, complaints);
    });
    afterEach(async () => {
      // Closing the page aborts requests, and the resulting messages are not complaints.
      const said = [...complaints];
      await endPage();
      complaints.length = 0;
      expect(said).toEqual([]);
    });
    const startAgain = async () => {
      if (restore === undefined) return end();
      await restore();
      isChanged = false;
    };
    const end = async () => {
      await cleanUp();
      service = undefined;
      isChanged = false;
    };
    afterAll(end);

    tell({
      get page() {
        return page;
      },
      get service() {
        return service!;
      },
      complaints,
      open: (place) => page.goto(`${origin}/console${place}`),
      async reopen(options, address = service!.url) {
        await endPage();
        origin = address;
        const context = await newContext(profile.browser, { ...USUAL, ...options });
        context.on('request', note);
        page = await context.newPage();
        complain(page, origin, complaints);
      },
      ask: async <T>(path: string) => (await (await service!.fetch(path)).json()) as T,
      product: async (id) => (await (await service!.fetch(`/products/${id}`)).json()) as Product,
      until: (text) => page.getByText(text).first().waitFor(),
      async choose(label, option) {
        await page.getByRole('combobox', { name: label }).click();
        await page.getByRole('option', { name: option }).first().click();
      },
      async picture(file) {
        if (!TAKES_PICTURES) return;
        mkdirSync(PICTURES, { recursive: true });
        await page.waitForTimeout(FADED_IN_MS);
        await page.screenshot({ path: join(PICTURES, `${file}.png`) });
      },
    });
  });
}

async function startOn(database: Database) {
  const { cwd = temporaryFolder(), args = [], env = {} } = await database();
  const service = await startService({ cwd, args: [...args, '--log-level', 'silent'], env });
  const file = join(cwd, 'catalogue.db');
  return { service, restore: existsSync(file) ? restoring(file, { isServed: true }) : undefined };
}

/** Wraps a service so that `note` receives the method and the Prefer header of each request that a story sends. */
function noting(service: Service, note: (method: string, prefer: string | null) => void): Service {
  return {
    ...service,
    fetch(path, init) {
      note(init?.method ?? 'GET', new Headers(init?.headers).get('prefer'));
      return service.fetch(path, init);
    },
  };
}

const USUAL: BrowserContextOptions = {
  viewport: { width: 1280, height: 860 },
  // Disables animations, so that no test waits for a dialog to fade in.
  reducedMotion: 'reduce',
};

/**
 * Makes every page transparent, because nobody looks at it: the browser then draws nothing, which is an eighth of its
 * CPU time. The checks of colours set the opacity of the page themselves.
 */
const TRANSPARENT = `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('html { opacity: 0 }');
  document.adoptedStyleSheets.push(sheet);
}`;

async function newContext(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  if (!TAKES_PICTURES) await context.addInitScript(TRANSPARENT);
  return context;
}

/** Opens a page of the shared profile, for which nothing is stored. */
async function newPage({ context, opener }: Profile, origin: string): Promise<Page> {
  await context.setOffline(false);
  await context.clearCookies();
  if (!opener.url().startsWith(`${origin}/`)) await opener.goto(`${origin}/console`);
  await opener.evaluate('localStorage.clear()');
  const [page] = await Promise.all([context.waitForEvent('page'), opener.evaluate("void open('about:blank')")]);
  return page;
}

/** Notes errors, and requests to other hosts. */
function complain(page: Page, origin: string, complaints: string[]): void {
  page.on('console', (message) => {
    // The browser logs every 4xx response as an error. Each story checks by itself which of them are correct.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(data|blob):/.test(url)) complaints.push(`a request to ${url}`);
  });
}

/** Saves a download, because the browser may belong to another process. */
export async function savedFile(download: Download): Promise<string> {
  const path = join(temporaryFolder(), download.suggestedFilename());
  await download.saveAs(path);
  return path;
}

/** Simulates a concurrent writer: `work` completes just before the browser's next request with that method. */
export async function quicker({ page }: Stage, method: string, work: () => Promise<unknown>): Promise<void> {
  let done: Promise<unknown> | undefined;
  await page.route(/\/products\?/, async (route) => {
    if (route.request().method() !== method) return route.fallback();
    done ??= work();
    await done;
    await route.continue();
  });
}

export async function shownNames(page: Page): Promise<string[]> {
  const names = await page
    .locator('.grid-row:not(.new-line) > [role=gridcell][data-field=product_name]')
    .allTextContents();
  return names.map((name) => name.trim());
}

/** Waits until the grid shows these names. It shows the previous rows until the new ones arrive. */
export async function untilShown(page: Page, names: readonly string[]): Promise<void> {
  const isShown = async () => JSON.stringify((await shownNames(page)).slice(0, names.length)) === JSON.stringify(names);
  await until(`the list to begin with ${names.join(', ')}`, isShown);
}

/** A clipboard event as a spreadsheet causes it, since the clipboard of the machine belongs to all tests. */
export const clipboardEvent = (kind: string, data: Readonly<Record<string, string>>) => `(() => {
  const clipboardData = new DataTransfer();
  for (const [type, text] of Object.entries(${JSON.stringify(data)})) clipboardData.setData(type, text);
  document.activeElement.dispatchEvent(new ClipboardEvent('${kind}', { clipboardData, bubbles: true, cancelable: true }));
  return clipboardData.getData('text/plain');
})()`;

export const paste = ({ page }: Stage, text: string, html?: string) =>
  page.evaluate(clipboardEvent('paste', { 'text/plain': text, ...(html && { 'text/html': html }) }));
