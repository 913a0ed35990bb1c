/** A session or a token that ends during an edit: the page asks for it again and keeps what was typed. */
import { afterEach, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { axeFindings } from '../../support/browser/axe.ts';
import { browserStories, clipboardEvent, type Product, type Stage } from '../../support/browser/browser.ts';
import { folderWithRoles } from '../../support/processes/access-folder.ts';
import { run, until } from '../../support/processes/process.ts';

const PASSWORD = 'correct horse battery';
const NEW_PASSWORD = 'another horse battery';
let cwd = '';

async function logIn(page: Page): Promise<void> {
  // Only the login page has a password.
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByLabel('Name').fill('ann');
  await page.getByRole('button', { name: 'Log in' }).click();
}

/** The service notices the end of a session within a second. */
const untilSessionEnds = ({ page, service }: Stage) =>
  until(
    'the end of the session',
    async () => (await page.request.get(`${service.url}/products?limit=1`)).status() === 401,
  );

browserStories(
  'the end of a session',
  (stage) => {
    test('a bar asks for the password, then the save goes on with the typed values', async () => {
      const { page } = stage;
      await stage.open('/c/products/2');
      await logIn(page);
      await page.getByLabel('Unit price').fill('19.75');
      // A new password ends all sessions of a user.
      await run({ cwd, args: ['user', 'password', 'ann'], stdin: NEW_PASSWORD });
      await untilSessionEnds(stage);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      const bar = page.getByRole('form', { name: 'Log in again' });
      await bar.waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await bar.getByLabel('Password').fill(PASSWORD);
      await bar.getByRole('button', { name: 'Log in', exact: true }).click();
      await stage.until('The name or the password is wrong');
      await bar.getByRole('button', { name: 'Cancel' }).click();
      await bar.waitFor({ state: 'detached' });
      await stage.until('Nothing was saved');
      expect(await page.getByLabel('Unit price').inputValue()).toBe('19.75');

      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await bar.getByLabel('Password').fill(NEW_PASSWORD);
      await bar.getByRole('button', { name: 'Log in', exact: true }).click();
      await page.getByText('Saved.', { exact: true }).waitFor();
      expect(await page.getByLabel('Unit price').inputValue()).toBe('19.75');

      // Typing in the grid goes on while the bar asks. After the login, all of it is stored.
      await stage.open('/c/products?order=id');
      await page.locator('[data-field=unit_price]').nth(1).click();
      await run({ cwd, args: ['user', 'password', 'ann'], stdin: PASSWORD });
      await untilSessionEnds(stage);
      for (const price of [31, 32]) {
        await page.keyboard.type(String(price), { delay: 125 });
        await page.keyboard.press('Enter');
      }
      await bar.getByLabel('Password').fill(PASSWORD);
      expect(await page.locator('[data-field=unit_price]').allTextContents()).toContain('32.00');
      await page.keyboard.press('Enter');
      const prices = async () =>
        (await page.request.get(`${stage.service.url}/products?select=unit_price&order=id`)).json();
      await until(
        'the typed prices',
        async () => JSON.stringify(await prices()) === '[{"unit_price":31},{"unit_price":32}]',
      );
      // The keys go on in the table.
      await bar.waitFor({ state: 'detached' });
      await until('the focus', () => page.evaluate('document.activeElement.getAttribute("role") === "grid"'));
      await stage.open('/c/products/2');

      // A reload leads to the login page. The typed text comes back after the login.
      await page.getByLabel('Unit price').fill('20.5');
      await run({ cwd, args: ['user', 'password', 'ann'], stdin: PASSWORD });
      await untilSessionEnds(stage);
      await page.reload();
      await logIn(page);
      await stage.until('Your input from before, not saved yet');
      expect(await page.getByLabel('Unit price').inputValue()).toBe('20.5');
      // To log out is to leave nothing behind.
      await page.getByRole('button', { name: 'Account' }).click();
      await page.getByRole('menuitem', { name: 'Log out' }).click();
      await logIn(page);
      await page.getByLabel('Unit price').waitFor();
      expect(await page.getByLabel('Unit price').inputValue()).toBe('32');
    });

    test('a paste and new rows wait for the login, and no key goes into the password', async () => {
      const { page } = stage;
      const password = page.getByRole('form', { name: 'Log in again' }).last().getByLabel('Password');
      const rows = async () =>
        (await (await page.request.get(`${stage.service.url}/products?order=id`)).json()) as Product[];
      await stage.open('/c/products?order=id');
      await logIn(page);
      await page.locator('[role=gridcell][data-field=unit_price]').first().click();
      await page.evaluate(clipboardEvent('paste', { 'text/plain': '41\n42' }));
      await page.getByRole('button', { name: 'Change 2 cells' }).waitFor();
      await run({ cwd, args: ['user', 'password', 'ann'], stdin: NEW_PASSWORD });
      await untilSessionEnds(stage);
      await page.keyboard.press('Enter');
      await password.fill(NEW_PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect((await rows()).slice(0, 2).map(({ unit_price }) => unit_price)).toEqual([41, 42]);

      await run({ cwd, args: ['user', 'password', 'ann'], stdin: PASSWORD });
      await untilSessionEnds(stage);
      for (const key of ['Control+End', 'Home', 'ArrowDown']) await page.keyboard.press(key);
      for (const name of ['One', 'Two']) {
        await page.keyboard.type(name, { delay: 125 });
        await page.keyboard.press('Enter');
      }
      await password.waitFor();
      expect(await password.inputValue()).toBe('');
      await password.fill(PASSWORD);
      await page.keyboard.press('Enter');
      await password.waitFor({ state: 'detached' });
      const names = async () => (await rows()).map(({ product_name }) => product_name);
      await until('the new rows', async () => String((await names()).slice(-2).sort()) === 'One,Two');
    });
  },
  async () => {
    cwd = await folderWithRoles();
    await run({ cwd, args: ['migrate'] });
    await run({ cwd, args: ['user', 'add', 'ann', '--role', 'editor'], stdin: PASSWORD });
    return { cwd };
  },
);

let accepted = '';
let proxy: ReturnType<typeof Bun.serve> | undefined;
afterEach(async () => {
  await proxy?.stop(true);
  proxy = undefined;
});

/** A proxy that guards the products with one token. */
function guard(target: string): string {
  proxy = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    // A busy service may answer late.
    idleTimeout: 0,
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (pathname.startsWith('/products') && request.headers.get('authorization') !== `Bearer ${accepted}`) {
        return Response.json({ code: 'PGRST303', message: 'JWT expired', details: null, hint: null }, { status: 401 });
      }
      const { method, headers, body } = request;
      return fetch(`${target}${pathname}${search}`, { method, headers, body, redirect: 'manual', decompress: false });
    },
  });
  return `http://127.0.0.1:${proxy.port}`;
}

browserStories('the end of a token', (stage) => {
  test('a bar asks for a new token, then the save goes on with the typed values', async () => {
    accepted = 'first';
    await stage.reopen({}, guard(stage.service.url));
    const { page } = stage;
    await stage.open('/c/products');
    await page.getByLabel('Token').fill('first');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Open Chang' }).click();
    await page.getByLabel('Unit price').fill('19.75');
    accepted = 'second';
    await page.keyboard.press('Enter');
    const bar = page.getByRole('form', { name: 'Log in again' });
    await bar.getByText('JWT expired').waitFor();
    await bar.getByLabel('Token').fill('second');
    await page.keyboard.press('Enter');
    await stage.until('Saved.');
    expect(await stage.product(2)).toMatchObject({ unit_price: 19.75 });
  });
});
