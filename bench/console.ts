/**
 * Measures the time from opening the console to its first view, in a browser without a cache. The result is the median
 * over fresh profiles. `bun bench/console.ts [loads] [url…]` alternates between the services at these URLs, so that two
 * versions run under the same machine load. Without a URL it starts two services, with the reference products and with
 * a million, on all cores. It changes a product in these before each load but those of the first view, so that no
 * figure or page is cached. `--change` also does this for the given URLs. The goals: products within one second, the
 * complete overview of a million within 1.5, and its products in the order of a field without an index within 3.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { CHROMIUM } from '../test/support/browser/chromium.ts';
import { MILLION } from './fixtures.ts';
import { generateCatalogue } from './generate.ts';
import { startService, stopAll } from './servers.ts';

/** A selector for each view that matches when the view is readable. One list is in the order of an unindexed field. */
const VIEWS = {
  products: { place: '/c/products', sign: '[role=gridcell][data-field]' },
  'products without an index': { place: '/c/products?order=reorder_level.desc', sign: '[role=gridcell][data-field]' },
  overview: { place: '', sign: '[aria-busy=false] [data-panel] a' },
} as const;

type View = keyof typeof VIEWS;

interface Load {
  /** Milliseconds since the start of the navigation. */
  readonly painted: number;
  readonly shown: number;
}

/**
 * Returns a script that runs before the scripts of the page. It records when the selector matches and the view is
 * painted.
 */
function watch(sign: string): string {
  return `globalThis.shown = new Promise((resolve) => {
    new MutationObserver((_changes, observer) => {
      if (document.querySelector(${JSON.stringify(sign)}) === null) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
    }).observe(document, { attributes: true, childList: true, subtree: true });
  })`;
}

async function ownServices(): Promise<string[]> {
  const small = await startService(join(folder, 'catalogue.db'), { pinned: false });
  console.error('making a million products …');
  await generateCatalogue(join(folder, 'million.db'), MILLION);
  return [small.url, (await startService(join(folder, 'million.db'), { pinned: false })).url];
}

/** Changes the price of one product, which invalidates the caches. */
async function change(url: string): Promise<void> {
  await fetch(`${url}/products/1`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ unit_price: Math.round(Math.random() * 10_000) / 100 }),
  });
}

async function load(browser: Browser, url: string, view: View): Promise<Load> {
  const { place, sign } = VIEWS[view];
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  await page.addInitScript(watch(sign));
  await page.goto(`${url}/console${place}`);
  const shown = await page.evaluate<number>('globalThis.shown');
  const painted = await page.evaluate<number>(
    'performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0',
  );
  await context.close();
  return { painted, shown };
}

const median = (numbers: number[]) => numbers.sort((one, other) => one - other)[Math.floor(numbers.length / 2)]!;

if (CHROMIUM === undefined) throw new Error('no Chromium found: set CHROMIUM_PATH');
const isChanging = process.argv.includes('--change');
const [times = '15', ...given] = process.argv.slice(2).filter((each) => each !== '--change');
const folder = mkdtempSync(join(tmpdir(), 'catalogue-console-'));
const urls = given.length > 0 ? given : await ownServices();
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
for (const view of Object.keys(VIEWS) as View[]) {
  const loads = new Map<string, Load[]>(urls.map((url) => [url, []]));
  for (const url of urls) await load(browser, url, view);
  for (let round = 0; round < Number(times); round++) {
    for (const url of urls) {
      if ((given.length === 0 || isChanging) && view !== 'products') await change(url);
      loads.get(url)!.push(await load(browser, url, view));
    }
  }
  for (const [url, measured] of loads) {
    const painted = median(measured.map((each) => each.painted)).toFixed(0);
    const shown = median(measured.map((each) => each.shown)).toFixed(0);
    const which = given.length > 0 ? '' : ` of ${url === urls[0] ? 'the reference products' : 'a million'}`;
    console.log(`${view}${which} at ${url}: first paint after ${painted} ms, shown after ${shown} ms`);
  }
}
await browser.close();
await stopAll();
rmSync(folder, { recursive: true });
