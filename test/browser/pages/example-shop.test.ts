/** examples/shop: the commands of its README fill a catalogue, and its page finds products in a browser. */
import { afterAll, expect, test } from 'bun:test';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { seriousFindings } from '../../support/browser/axe.ts';
import { browserStories } from '../../support/browser/browser.ts';
import { run, temporaryFolder, until } from '../../support/processes/process.ts';

const SHOP = fileURLToPath(new URL('../../../examples/shop/', import.meta.url));
const ADDRESS = 'http://127.0.0.1:3000';
const readme = readFileSync(join(SHOP, 'README.md'), 'utf8');
let key = '';
let site: ReturnType<typeof Bun.serve> | undefined;
afterAll(() => site?.stop(true));

/** Runs the commands of the README before `catalogue serve` in a copy of the folder. */
async function follow() {
  const cwd = temporaryFolder();
  cpSync(SHOP, cwd, { recursive: true });
  const commands = /```sh\n([\s\S]+?)catalogue serve\n```/.exec(readme)![1]!.trim().split('\n');
  for (const command of commands) {
    const [, stdin, words] = /^(?:echo '(.+)' \| )?catalogue ([^>]+)/.exec(command)!;
    const done = await run({ cwd, args: words!.trim().split(' '), ...(stdin === undefined ? {} : { stdin }) });
    expect([command, done.exitCode]).toEqual([command, 0]);
    if (command.endsWith('> scanner.key')) key = done.stdout.trim();
  }
  return { cwd };
}

browserStories(
  'the example shop',
  (stage) => {
    const { until: untilText } = stage;
    const names = () => stage.page.locator('li h2').allTextContents();
    const untilNames = (...expected: string[]) =>
      until(expected.join(', '), async () => Bun.deepEquals(await names(), expected));
    /** Opens the page from another origin, as a static site does. */
    const open = async () => {
      const text = readFileSync(join(SHOP, 'shop.html'), 'utf8').replace(ADDRESS, stage.service.url);
      const headers = { 'content-type': 'text/html' };
      site ??= Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(text, { headers }) });
      await stage.page.goto(`http://shop.example:${site.port}/`);
    };
    /** Requests of the page to the service are expected. */
    const ignoreRequests = () => {
      const others = stage.complaints.filter(
        (each) => !/^a request to http:\/\/(shop\.example|127\.0\.0\.1):/.test(each),
      );
      stage.complaints.splice(0, stage.complaints.length, ...others);
    };

    test('a visitor sees pictures, searches, and narrows the list by facets', async () => {
      await open();
      await untilText('11 products');
      expect(await names()).toHaveLength(8);
      await stage.page.getByRole('button', { name: 'Show more' }).click();
      await until('all products', async () => (await names()).length === 11);
      expect(await names()).not.toContain('Christmas Blend');
      const loaded = `[...document.images].every((image) => image.complete && image.naturalWidth > 0)`;
      await until('the pictures', async () => (await stage.page.evaluate(loaded)) as boolean);
      expect(await seriousFindings(stage.page)).toEqual([]);

      await stage.page.getByLabel('Search').fill('whole beans');
      await untilNames('Coffee Mill', 'Decaf', 'House Espresso');
      await stage.page.getByLabel('Coffee (2)').check();
      await untilNames('Decaf', 'House Espresso');
      // The other facet follows the choice; the facet of the choice still offers its alternatives.
      await stage.page.getByLabel('Bean House (2)').waitFor();
      await stage.page.getByLabel('Tableware (1)').waitFor();
      await stage.page.getByLabel('Sort by').selectOption('price, highest first');
      await untilNames('Decaf', 'House Espresso');
      await stage.page.getByLabel('Search').fill('100%');
      await untilText('0 products');
      await stage.page.getByLabel('Search').fill('');
      await stage.page.getByLabel('Coffee (3)').uncheck();
      await stage.page.getByLabel('Green Leaf (2)').check();
      await untilNames('Sencha', 'Jasmine');
      await stage.page.getByLabel('In stock').check();
      await untilNames('Sencha');
      ignoreRequests();
    });

    test('visitors cannot read costs, and the warehouse can change only the stock', async () => {
      const { fetch: ask } = stage.service;
      expect((await ask('/products?select=cost')).status).toBe(401);
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const change = (body: string) => ask('/products?sku=eq.T-4', { method: 'PATCH', headers, body });
      expect((await change('{"stock":12}')).status).toBe(204);
      expect((await change('{"price":1}')).status).toBe(403);
      expect(readme).toContain(`'{"stock":12}'`);
      await open();
      await stage.page.getByLabel('Search').fill('jasmine');
      await stage.page.getByText('5.40 €', { exact: true }).waitFor();
      ignoreRequests();
    });
  },
  follow,
  { areApart: true },
);

test('the README fits on a screen', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(20);
});
