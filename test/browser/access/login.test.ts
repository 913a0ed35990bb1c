/** People in the console of a catalogue with roles: they log in, work within their role, and log out. */
import { expect, test } from 'bun:test';
import { axeFindings } from '../../support/browser/axe.ts';
import { browserStories, type Stage, untilShown } from '../../support/browser/browser.ts';
import { folderWithRoles } from '../../support/processes/access-folder.ts';
import { run, until } from '../../support/processes/process.ts';

const PASSWORD = 'correct horse battery';

async function folderWith(...people: readonly [name: string, role: string][]): Promise<string> {
  const cwd = await folderWithRoles({ isOpen: people.length > 1 });
  await run({ cwd, args: ['migrate'] });
  for (const [name, role] of people) {
    await run({ cwd, args: ['user', 'add', name, '--role', role], stdin: PASSWORD });
  }
  return cwd;
}

async function logIn({ page }: Stage, name: string, password = PASSWORD): Promise<void> {
  // Only the login page has a password.
  await page.getByLabel('Password').fill(password);
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Log in' }).click();
}

async function fromAccountMenu({ page }: Stage, item: string): Promise<void> {
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

/**
 * A page of another origin tries to write. On another port the browser sends the cookie, so only the origin differs.
 */
async function attack(stage: Stage): Promise<void> {
  const evil = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Response('<!doctype html><title>evil</title>', { headers: { 'content-type': 'text/html' } }),
  });
  const page = await stage.page.context().newPage();
  await page.goto(`http://127.0.0.1:${evil.port}/`);
  await page.evaluate(async (url) => {
    const body = JSON.stringify({ product_name: 'Planted' });
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'application/json'];
    for (const type of types) {
      for (const mode of ['no-cors', 'cors'] as const) {
        const init = { method: 'POST', mode, credentials: 'include', headers: { 'content-type': type }, body } as const;
        await fetch(`${url}/products`, init).catch(() => undefined);
        await fetch(`${url}/auth/logout`, init).catch(() => undefined);
      }
    }
  }, stage.service.url);
  await page.close();
  await evil.stop(true);
}

browserStories(
  'logging in',
  (stage) => {
    test('a person logs in, edits and logs out; a page of another origin cannot write', async () => {
      const refused: string[] = [];
      stage.page.on('response', (response) => response.status() === 401 && refused.push(response.url()));
      await stage.page.goto(stage.service.url);
      await stage.until('Log in with your name and password.');
      expect(refused).toEqual([]);
      await stage.open('/c/products');
      await stage.until('Log in with your name and password.');
      expect(await axeFindings(stage.page)).toEqual([]);
      await stage.page.getByLabel('Name').and(stage.page.locator(':focus')).waitFor();
      await logIn(stage, 'ann', 'wrong horse battery');
      await stage.until('The name or the password is wrong');
      await logIn(stage, 'ann');
      await stage.page.getByRole('link', { name: 'Open Chai' }).waitFor();
      await untilShown(stage.page, ['Chai', 'Chang']);
      await stage.page.getByRole('link', { name: 'Open Chang' }).click();
      await stage.page.getByLabel('Unit price').fill('19.75');
      await stage.page.getByRole('button', { name: 'Save', exact: true }).click();
      await stage.until('Saved.');

      await fromAccountMenu(stage, 'Change password');
      await stage.page.getByLabel('Current password').fill(PASSWORD);
      await stage.page.getByLabel('New password').fill('short');
      await stage.page.getByRole('button', { name: 'Change', exact: true }).click();
      await stage.until('At least 8 characters.');
      await stage.page.getByLabel('New password').fill('another horse battery');
      await stage.page.getByRole('button', { name: 'Change', exact: true }).click();
      await stage.until('The password was changed.');

      await attack(stage);
      await stage.open('/c/products');
      await untilShown(stage.page, ['Chai', 'Chang']);
      expect(await stage.page.getByText('Planted').count()).toBe(0);

      await fromAccountMenu(stage, 'Log out');
      await stage.until('Log in with your name and password.');
    });
  },
  async () => ({ cwd: await folderWith(['ann', 'editor']) }),
);

browserStories(
  'a public catalogue',
  (stage) => {
    test('everybody sees it; a person who logs in can do what the role allows, and nothing else', async () => {
      const { page } = stage;
      await stage.open('/c/products');
      await untilShown(page, ['Chai', 'Chang']);
      expect(await page.getByRole('link', { name: 'New row' }).count()).toBe(0);
      const offered = async () => ({
        save: await page.getByRole('button', { name: 'Save', exact: true }).count(),
        delete: await page.getByRole('button', { name: 'Delete' }).count(),
      });
      expect(await page.getByRole('columnheader', { name: 'Unit price' }).count()).toBe(0);
      // The service stores no views of people whom it does not know.
      await page.getByRole('button', { name: 'Save as view' }).click();
      await page.getByLabel('Name of the view').fill('Mine');
      expect(await page.getByLabel('Share with everyone').count()).toBe(0);
      await page.keyboard.press('Enter');
      await stage.until('It is stored in this browser only.');
      await page.reload();
      await page.getByRole('link', { name: 'Mine' }).waitFor();
      expect(await stage.ask<unknown>('/catalogue/views')).toEqual([]);
      await stage.open('/c/products/1');
      await page.getByLabel('Product name').waitFor();
      expect(await offered()).toEqual({ save: 0, delete: 0 });
      await fromAccountMenu(stage, 'Log in');
      await stage.until('Continue without logging in');
      await logIn(stage, 'sue');
      await page.getByLabel('Unit price').waitFor();
      expect(await offered()).toEqual({ save: 1, delete: 0 });
      await run({ cwd: place, args: ['user', 'remove', 'sue'] });
      const cookie = (await page.context().cookies()).map((each) => `${each.name}=${each.value}`).join('; ');
      await until('the service to reject the session', async () => {
        return (await stage.service.fetch('/products?limit=1', { headers: { cookie } })).status === 401;
      });
      // A sign of life is rejected first, and the browser deletes the cookie. The save is not sent as a visitor.
      const rejected = page.waitForResponse((response) => response.status() === 401);
      await page.getByLabel('Unit price').fill('19');
      await rejected;
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await stage.until(/The session has ended/);
      await page.getByRole('button', { name: 'Log in as someone else' }).click();
      await page.getByRole('button', { name: 'Continue without logging in' }).click();
      await page.getByLabel('Product name').waitFor();
      expect(await offered()).toEqual({ save: 0, delete: 0 });
    });
  },
  async () => {
    place = await folderWith(['sue', 'supplier'], ['ann', 'editor']);
    return { cwd: place };
  },
);

let place = '';
