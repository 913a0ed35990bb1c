/** examples/shop: visitors find products on its page, and customers place orders, in a browser. */
import { afterEach, expect, test } from 'bun:test';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { axeFindings } from '../../support/browser/axe.ts';
import { browserStories, type Stage } from '../../support/browser/browser.ts';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { run, temporaryFolder, until } from '../../support/processes/process.ts';

const SHOP = fileURLToPath(new URL('../../../examples/shop/', import.meta.url));
const PASSWORD = 'correct horse battery';
/** The pause between the keys of a person who types, in milliseconds. */
const TYPING = { delay: 60 };
let site: ReturnType<typeof Bun.serve> | undefined;
afterEach(async () => {
  await site?.stop(true);
  site = undefined;
});

async function prepare(args: readonly string[] = [], env: Record<string, string> = {}) {
  const cwd = temporaryFolder();
  cpSync(SHOP, cwd, { recursive: true });
  const commands = [
    ['migrate'],
    ['import', 'pictures.csv', '--collection', 'products', '--mode', 'update', '--files', 'pictures'],
    ['user', 'add', 'ann', '--role', 'customer', '--claims', '{"customer_id":1}'],
    ['user', 'add', 'bob', '--role', 'customer', '--claims', '{"customer_id":2}'],
  ];
  for (const command of commands) {
    const { exitCode, stderr } = await run({ cwd, args: [...command, ...args], env, stdin: PASSWORD });
    expect([command, exitCode, exitCode === 0 || stderr]).toEqual([command, 0, true]);
  }
  return { cwd, args, env };
}

/** Serves the page, and the service below /api, as the Caddyfile does. */
function serveSite(service: string): string {
  site = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    // A busy service may answer late.
    idleTimeout: 0,
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (!pathname.startsWith('/api/')) return new Response(Bun.file(join(SHOP, 'site/index.html')));
      const { method, headers, body } = request;
      headers.set('x-forwarded-prefix', '/api');
      const init = { method, headers, body, redirect: 'manual', decompress: false } as const;
      // A page that was left may still send requests when the service ends.
      const gone = () => new Response('the service is gone', { status: 502 });
      return fetch(`${service}${pathname.slice('/api'.length)}${search}`, init).catch(gone);
    },
  });
  return `http://127.0.0.1:${site.port}`;
}

const DATABASES = {
  SQLite: () => prepare(),
  PostgreSQL: () => prepare(['--schema', newSchema()], { DATABASE_URL: testServer.url }),
};

for (const [engine, database] of Object.entries(DATABASES)) {
  browserStories(`the example shop on ${engine}`, (stage) => tell(stage, engine), database);
}

function tell(stage: Stage, engine: string): void {
  const { until: untilText } = stage;
  const open = async () => {
    const origin = serveSite(stage.service.url);
    await stage.reopen({}, origin);
    await stage.page.goto(`${origin}/`);
    await untilText(/\d products/);
  };
  const names = () => stage.page.locator('#products h2').allTextContents();
  const untilNames = (...expected: string[]) =>
    until(expected.join(', '), async () => Bun.deepEquals(await names(), expected));
  const logIn = async (name: string) => {
    await stage.page.getByLabel('Name', { exact: true }).pressSequentially(name, TYPING);
    await stage.page.getByLabel('Password').pressSequentially(PASSWORD, TYPING);
    await stage.page.getByRole('button', { name: 'Log in' }).click();
    await untilText(`You are logged in as ${name}.`);
  };
  const add = (name: string) => stage.page.getByRole('button', { name: `Add ${name}` }).click();
  const placeOrder = () => stage.page.getByRole('button', { name: 'Place the order' }).click();

  test('a visitor sees pictures and prices of live products, and finds them by typing', async () => {
    await open();
    await untilText('9 products');
    expect(await names()).not.toContain('Winter Tent');
    await untilText('199.90 €, North Ridge');
    const loaded = `[...document.images].every((image) => image.complete && image.naturalWidth > 0)`;
    await until('the pictures', async () => (await stage.page.evaluate(loaded)) as boolean);
    expect(await axeFindings(stage.page)).toEqual([]);

    await stage.page.getByLabel('Search').pressSequentially('tnet', TYPING);
    await untilNames('Ridge Tent', 'Dome Tent');
    await stage.page.getByLabel('Search').fill('ridge ten');
    const words = stage.page.locator('#words option');
    await until('suggestions', async () => (await words.first().getAttribute('value')) === 'ridge tent');
    await stage.page.getByLabel('Search').fill('100%');
    await untilText('0 products');
    await stage.page.getByLabel('Search').fill('tarn');
    await untilNames('Down Bag', 'Summer Bag', 'Pot Set');
    await stage.page.getByLabel('Sleeping (2)').check();
    await untilNames('Down Bag', 'Summer Bag');
    // The other choices stay: the facet ignores its own filter.
    await stage.page.getByLabel('100 to 200 € (1)').check();
    await untilNames('Down Bag');
    await stage.page.getByLabel('50 to 100 € (1)').check();
    await untilNames('Down Bag', 'Summer Bag');
    await add('Down Bag');
    expect(await stage.page.getByRole('button', { name: 'Place the order' }).isDisabled()).toBe(true);
  });

  test('a customer logs in and places an order; another customer does not see it', async () => {
    await open();
    await stage.page.getByLabel('Search').pressSequentially('tent', TYPING);
    await untilNames('Ridge Tent', 'Dome Tent');
    const first = stage.page.locator('#products h2').first();
    await until('the mark', async () => (await first.innerHTML()) === 'Ridge <mark>Tent</mark>');
    await stage.page.getByLabel('Variant of Ridge Tent').selectOption('green');
    await add('Ridge Tent');
    await add('Ridge Tent');
    await add('Dome Tent');
    await untilText('Total: 668.80 €');
    await logIn('ann');
    await placeOrder();
    await untilText(/Thank you\. Your order has the number \d+\./);
    await untilText('2 × Ridge Tent, green; 1 × Dome Tent, green (668.80 €)');
    await stage.page.reload();
    await untilText('You are logged in as ann.');
    await untilText('2 × Ridge Tent, green; 1 × Dome Tent, green (668.80 €)');
    await stage.page.getByRole('button', { name: 'Log out' }).click();
    await logIn('bob');
    expect(await stage.page.locator('#orders li').count()).toBe(0);
  });

  // The next requests are the same on both engines, and `test/spec` tests their responses on both.
  if (engine !== 'SQLite') return;

  test('the console searches by the declared search, in a list and in the palette, with marks', async () => {
    const { page } = stage;
    await page.goto(`${stage.service.url}/console/c/products`);
    await page.getByRole('searchbox').pressSequentially('tnet', TYPING);
    const marked = page.locator('[role=gridcell][data-field=name] mark');
    await until('the marks', async () => Bun.deepEquals(await marked.allTextContents(), ['Tent', 'Tent']));
    // The title of a category is its key.
    await page.goto(`${stage.service.url}/console/c/products`);
    await page.getByRole('columnheader', { name: 'Category' }).getByRole('button').click();
    await until('the first category', async () => {
      const [first] = await page.locator('[role=gridcell][data-field=category]').allInnerTexts();
      return first?.trim() === 'Backpacks';
    });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').pressSequentially('trek pakc', TYPING);
    await page.getByRole('option', { name: 'Trek Pack' }).locator('mark').first().waitFor();
  });

  test('an order of more pieces than there are is not placed, and the page says why', async () => {
    await open();
    await logIn('bob');
    await stage.page.getByLabel('Variant of Day Pack').selectOption('red');
    await add('Foam Mat');
    await add('Day Pack');
    await placeOrder();
    await untilText('The order was not placed: Day Pack, red is sold out.');
    expect(await stage.page.locator('#orders li').count()).toBe(0);
    expect(await stage.page.locator('#basket li').count()).toBe(2);
  });
}
