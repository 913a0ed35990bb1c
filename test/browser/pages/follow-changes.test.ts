/** The page of docs/how-to/follow-changes.md follows a list in a real browser. */
import { afterEach, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { browserStories } from '../../support/browser/browser.ts';
import { until } from '../../support/processes/process.ts';
import { sendJson } from '../../support/stories.ts';

const guide = readFileSync(new URL('../../../docs/how-to/follow-changes.md', import.meta.url), 'utf8');
const html = /```html\n([\s\S]*?)```/.exec(guide)![1]!;
let site: ReturnType<typeof Bun.serve> | undefined;
afterEach(async () => {
  await site?.stop(true);
  site = undefined;
});

browserStories('the page of the guide', (stage) => {
  test('shows changes, rows that leave the list, and rows that enter it', async () => {
    expect(html.trimEnd().split('\n').length).toBeLessThanOrEqual(20);
    const text = html.replace('http://127.0.0.1:3000', stage.service.url);
    const headers = { 'content-type': 'text/html' };
    site = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(text, { headers }) });
    await stage.page.goto(`http://elsewhere.example:${site.port}`);
    const shown = (id: number) =>
      stage.page.evaluate(`document.getElementById('product-${id}')?.innerText ?? null`) as Promise<string | null>;
    const change = async (path: string, init: RequestInit) =>
      expect((await stage.service.fetch(path, init)).status).toBeLessThan(300);
    await until('the first product', async () => (await shown(3)) === 'Aniseed Syrup\t13');
    await change('/products?id=eq.3', sendJson('PATCH', { units_in_stock: { decrement: 2 } }));
    await until('the new stock', async () => (await shown(3)) === 'Aniseed Syrup\t11');
    await change('/products?id=eq.4', sendJson('PATCH', { discontinued: 1 }));
    await until('one product less', async () => (await shown(4)) === null);
    await change('/products', sendJson('POST', { id: 900, product_name: 'Fig jam', units_in_stock: 5 }));
    await until('the new product', async () => (await shown(900)) === 'Fig jam\t5');
    stage.complaints.length = 0;
  });
});
