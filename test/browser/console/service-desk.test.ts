/** A service desk: its role manages the users of some roles in the settings, which have nothing else for it. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { axeFindings } from '../../support/browser/axe.ts';
import { browserStories } from '../../support/browser/browser.ts';
import { run, temporaryFolder } from '../../support/processes/process.ts';
import { sendJson } from '../../support/stories.ts';

const DECLARATION = `collections:
  products: { fields: { id: int4, name: { type: text, required: true } } }
roles:
  admin: all
  customer: { products: { read: true } }
  guest: { products: { read: true } }
  desk: { products: { read: true }, users: { manage: [customer, guest] } }
`;
const PASSWORD = 'correct horse battery';

browserStories(
  'a service desk',
  (stage) => {
    const logIn = async (name: string) => {
      await stage.open('/');
      await stage.page.getByLabel('Password').pressSequentially(PASSWORD);
      await stage.page.getByLabel('Name').pressSequentially(name);
      await stage.page.keyboard.press('Enter');
      await stage.page.getByRole('link', { name: 'Products' }).first().waitFor();
    };
    const statusOfLogin = async (name: string, password: string) =>
      (await stage.service.fetch('/auth/login', sendJson('POST', { name, password }))).status;

    test('adds a customer, disables and enables her, resets her password, and sees no other settings', async () => {
      const { page } = stage;
      const button = (name: string | RegExp) => page.getByRole('button', { name });
      const dialog = page.getByRole('dialog');
      await logIn('dora');
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('row', { name: 'carl customer' }).waitFor();
      expect(await page.getByRole('rowheader').allTextContents()).toEqual(['carl']);
      const parts = page.getByRole('navigation', { name: 'Settings' }).getByRole('link');
      expect(await parts.allTextContents()).toEqual(['Users']);

      await button('Add a user').click();
      await dialog.getByLabel('Name').pressSequentially('eva');
      expect(await dialog.getByLabel('Role').getByRole('option').allTextContents()).toEqual(['customer', 'guest']);
      await dialog.getByLabel('Password').pressSequentially(PASSWORD);
      await dialog.getByLabel('Claims').pressSequentially('{"customer_id":7}');
      expect(await axeFindings(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await page.getByRole('row', { name: 'eva customer {"customer_id":7}' }).waitFor();
      expect(await statusOfLogin('eva', PASSWORD)).toBe(200);

      await button('Change eva').click();
      await dialog.getByLabel('Disabled').check();
      await dialog.getByRole('button', { name: 'Change' }).click();
      await page.getByRole('row', { name: 'eva customer (disabled) {"customer_id":7}' }).waitFor();
      expect(await statusOfLogin('eva', PASSWORD)).toBe(401);

      await button('Change eva').click();
      await dialog.getByLabel('Disabled').uncheck();
      await dialog.getByLabel('New password').pressSequentially('another password');
      await dialog.getByLabel('Role').selectOption('guest');
      await dialog.getByRole('button', { name: 'Change' }).click();
      await page.getByRole('row', { name: 'eva guest {"customer_id":7}' }).waitFor();
      expect(await statusOfLogin('eva', 'another password')).toBe(200);

      await stage.open('/settings/keys');
      await button('Add a user').waitFor();
      expect(await button('Add a key').count()).toBe(0);
    });

    test('has settings that a customer does not have: the menu hides them, and their address says why', async () => {
      await logIn('carl');
      expect(await stage.page.getByRole('link', { name: 'Settings' }).count()).toBe(0);
      await stage.open('/settings/users');
      await stage.until(/Settings need a role with every right, or one that manages users/);
    });
  },
  async () => {
    const cwd = temporaryFolder();
    await Bun.write(join(cwd, 'collections.yaml'), DECLARATION);
    await run({ cwd, args: ['migrate'] });
    for (const [name, role] of Object.entries({ ann: 'admin', carl: 'customer', dora: 'desk' })) {
      await run({ cwd, args: ['user', 'add', name, '--role', role], stdin: PASSWORD });
    }
    return { cwd };
  },
);
