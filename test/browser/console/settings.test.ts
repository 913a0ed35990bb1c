/** An administrator manages keys and changes the data model, in the console of a service with --edit-declaration. */
import { expect, test } from 'bun:test';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { axeFindings } from '../../support/browser/axe.ts';
import { browserStories, type Stage } from '../../support/browser/browser.ts';
import { englishTexts } from '../../support/browser/english-texts.ts';
import { run, temporaryFolder, until } from '../../support/processes/process.ts';

const DECLARATION = `# The shop
collections:
  offers: { fields: { id: int4, product_id: { type: int4, references: products } } }
  products: { fields: { id: int4, name: { type: text, required: true } }, rows: products.json }
roles:
  admin: all # the owner
  viewer: { products: { read: { fields: [id, name] } } }
  buyer: { products: { read: true }, offers: { read: { where: products.id=eq.1 } } }
  partner: { products: { read: { where: 'name=eq.{claims.shop.tea}' } } }
queries: { all: { read: products }, first: { read: products?id=eq.1 } }
webhooks:
  stock: { url: 'http://127.0.0.1:9/hook', collections: [offers, products], where: id=gte.1, secret: whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz }
`;
const PASSWORD = 'correct horse battery';
let file = '';

async function logIn(stage: Stage): Promise<void> {
  await stage.open('/');
  await stage.page.getByLabel('Password').fill(PASSWORD);
  await stage.page.getByLabel('Name').fill('ann');
  await stage.page.getByRole('button', { name: 'Log in' }).click();
}

browserStories(
  'an administrator',
  (stage) => {
    test('sees logins and backups, and adds a key', async () => {
      const { page } = stage;
      const button = (name: string | RegExp) => page.getByRole('button', { name });
      await logIn(stage);
      await page.getByRole('link', { name: 'Settings' }).click();
      const own = page.getByRole('row', { name: 'ann admin' });
      await own.waitFor();
      expect(await own.getByRole('button').allTextContents()).toEqual(['Change ann']);
      expect(await axeFindings(page)).toEqual([]);

      await stage.service.fetch('/auth/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'curl/8' },
        body: JSON.stringify({ name: 'ann', password: 'a wrong password' }),
      });
      await page.getByRole('link', { name: 'Sessions' }).click();
      await page.getByRole('row', { name: /ann wrong password 127\.0\.0\.1 curl\/8/ }).waitFor();
      await page.getByRole('row', { name: /ann logged in 127\.0\.0\.1 Chrome on Linux/ }).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      // On a phone, wide tables scroll in their panels.
      await page.setViewportSize({ width: 390, height: 780 });
      for (const part of ['Users', 'Sessions', 'Roles', 'Data model', 'Webhooks']) {
        await page.getByRole('link', { name: part }).click();
        await page.locator('.skeleton').first().waitFor({ state: 'hidden' });
        await page.getByRole('table').or(page.locator('.settings-part')).first().waitFor();
        const width = await page.evaluate('document.documentElement.scrollWidth');
        expect({ part, width, findings: await axeFindings(page) }).toEqual({ part, width: 390, findings: [] });
      }
      await page.setViewportSize({ width: 1280, height: 860 });
      await page.getByRole('link', { name: 'Backups' }).click();
      await stage.until('A backup every 1.5 hr, in backups.');
      await button('Back up now').click();
      await stage.until('The backup is complete.');
      await page.getByText(/Last good backup: .* ago\)/).waitFor();
      expect(await axeFindings(page)).toEqual([]);

      await page.getByRole('link', { name: 'API keys' }).click();
      await button('Add a key').click();
      await page.getByLabel('Name').fill('till');
      await page.getByLabel('Role').selectOption('viewer');
      expect(await axeFindings(page)).toEqual([]);
      await button('Add').last().click();
      const key = await page.getByText(/^cat_/).textContent();
      await page.getByRole('button', { name: 'Copy' }).and(page.locator(':focus')).waitFor();
      // The key is not shown again.
      for (let times = 0; times < 3; times++) await page.keyboard.press('Escape');
      expect(await page.getByText(/^cat_/).textContent()).toBe(key);
      await button('Close').click();
      const used = await stage.service.fetch('/products', { headers: { apikey: key! } });
      expect(await used.json()).toEqual([{ id: 1, name: 'Chai' }]);
      await until('the last use', async () => {
        await page.getByRole('link', { name: 'Users' }).click();
        await page.getByRole('link', { name: 'API keys' }).click();
        return (await page.getByRole('row', { name: /till viewer .* no end (?!not yet)/ }).count()) === 1;
      });
      await button('Revoke till').click();
      await button('Revoke').last().click();
      await stage.until('No keys yet');
    });

    test('adds a user: a rejected value is explained at its input, which has the focus', async () => {
      const { page } = stage;
      const dialog = page.getByRole('dialog');
      const field = (name: RegExp) => dialog.getByRole('textbox', { name });
      const focused = () => page.evaluate('document.activeElement.labels?.[0]?.textContent');
      const [name, password, claims] = [field(/^Name/), dialog.getByLabel('Password'), field(/^Claims/)];
      await logIn(stage);
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('button', { name: 'Add a user' }).click();
      await page.keyboard.type('ANN', { delay: 125 });
      await password.fill('short');
      await claims.fill('north');
      await page.keyboard.press('Enter');
      await dialog.getByText('Use a JSON object, with braces and quotes.').waitFor();
      await until('the claims', async () => (await focused()) === 'Claims');
      await claims.fill('{"region":"north"}');
      await page.keyboard.press('Enter');
      await until('the password', async () => (await focused()) === 'Password *');
      expect(await password.getAttribute('aria-invalid')).toBe('true');
      expect(await claims.getAttribute('aria-invalid')).toBeNull();
      await password.fill(PASSWORD);
      await page.keyboard.press('Enter');
      await dialog.getByText('ANN exists already. Enter another name.').waitFor();
      await until('the name', async () => (await focused()) === 'Name *');
      await name.fill('ben');
      await page.keyboard.press('Enter');
      await page.getByRole('row', { name: /^ben admin {"region":"north"}/ }).waitFor();
      await page.getByRole('button', { name: 'Remove ben' }).click();
      await page.getByRole('button', { name: 'Remove', exact: true }).click();
      await page.getByRole('row', { name: /^ben/ }).waitFor({ state: 'detached' });
    });

    test('sets the rights of a role by conditions', async () => {
      const { page } = stage;
      const button = (name: string | RegExp) => page.getByRole('button', { name });
      await logIn(stage);
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('link', { name: 'Roles' }).click();
      await stage.until('Users: 1 · Keys: 0');
      await stage.until('read (only ID, Name)');
      await stage.until('read (where Product: ID = 1)');
      await button('Add a role').click();
      await page.keyboard.type('clerk');
      expect(await page.getByRole('textbox', { name: /^Name/ }).inputValue()).toBe('clerk');
      const rights = page.getByRole('group', { name: 'Rights on Products' });
      await rights.getByLabel('change', { exact: true }).check();
      await button('Preview').click();
      // A mistake is at its input, in words without lines of the file.
      await rights.getByText(/^clerk may not read products, so it can update no rows; add read$/).waitFor();
      expect(await page.getByText('clerk may not read products').count()).toBe(1);
      await rights.getByLabel('change', { exact: true }).uncheck();
      await rights.getByLabel('create').check();
      await button('Preview').click();
      await stage.until('The tables stay as they are.');
      await stage.until(/^\+ +clerk: \{ products: \{ create: true \} \}/);
      expect(await page.locator('ins').innerText()).not.toContain('viewer');
      await button('Cancel').last().click();
      await button('Cancel').click();
      // The condition on a related row is one on a field, with its operators and values.
      await button('Change buyer').click();
      const related = page.getByRole('group', { name: 'Rows (Offers, read)' });
      expect(await related.getByLabel('Field').inputValue()).toBe('product_id.id');
      expect(await related.getByLabel('Value', { exact: true }).inputValue()).toBe('1');
      await button('Cancel').click();
      await button('What it sees viewer').click();
      await page.getByRole('dialog').getByRole('cell', { name: 'Chai' }).waitFor();
      await stage.until('1 row');
      expect(await axeFindings(page)).toEqual([]);
      await page.getByLabel('Collection').selectOption('Offers');
      await stage.until('viewer cannot read Offers.');
      await button('Close').click();
      // An administrator has no such claim: the preview takes one.
      await button('What it sees partner').click();
      await stage.until('0 rows');
      await page.getByLabel('For a person whose shop.tea is').pressSequentially('Chai', { delay: 125 });
      await page.getByRole('dialog').getByRole('cell', { name: 'Chai' }).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await button('Close').click();
      await page.getByText('collections.yaml, line 7').click();
      await stage.until('viewer: { products: { read: { fields: [id, name] } } }');
      await button('Change viewer').click();
      // A right that is taken and given back keeps its limits.
      await rights.getByLabel('read', { exact: true }).uncheck();
      await rights.getByLabel('read', { exact: true }).check();
      expect(await page.getByLabel('All, also later ones').first().isChecked()).toBe(false);
      const rows = page.getByRole('group', { name: 'Rows (Products, read)' });
      await rows.getByRole('button', { name: 'Add a condition' }).click();
      await rows.getByLabel('Operator').selectOption('is greater than');
      await rows.getByLabel('Value').fill('one');
      await button('Preview').click();
      await rows.getByText('“one” is not a number. Use 12.').waitFor();
      await rows.getByLabel('Value').fill('1');
      await rows.getByRole('button', { name: 'Add a condition' }).click();
      const second = rows.getByRole('group', { name: 'Condition' }).nth(1);
      await second.getByLabel('Joined by').selectOption('or');
      await second.getByLabel('Field').selectOption('Name');
      await second.getByLabel('Operator').selectOption('equals the claim of the user');
      await second.getByLabel('Value').fill('region');
      const fields = page.getByRole('group', { name: 'Fields (Products, read)' });
      // The key identifies rows.
      expect(await fields.getByLabel('ID').isDisabled()).toBe(true);
      await fields.getByLabel('Name').uncheck();
      // All fields of now are not all, also later ones.
      await fields.getByLabel('Name').check();
      expect(await fields.getByLabel('All, also later ones').isChecked()).toBe(false);
      await fields.getByLabel('Name').uncheck();
      expect(await axeFindings(page)).toEqual([]);
      await button('Preview').click();
      await stage.until(/read: \{ fields: \[ ?id ?\], where: 'or=\(id.gt."1",name.eq."\{claims.region\}"\)' \}/);
    });

    test('sets a webhook by a form with a test, and logs in again on the way', async () => {
      const { page } = stage;
      const button = (name: string | RegExp) => page.getByRole('button', { name });
      await logIn(stage);
      await page.getByRole('link', { name: 'Settings' }).click();
      // The receiver is on this machine, which the service does not permit.
      await page.evaluate(`fetch('/products?id=eq.1', {
        method: 'PATCH', headers: { 'content-type': 'application/json' }, body: '{"name":"Chai tea"}' })`);
      await page.getByRole('link', { name: 'Webhooks' }).click();
      await page.getByRole('row', { name: /products 1/ }).waitFor();
      const counts = page.locator('.counts');
      await until('the counts', async () => /Delivered\s+0\s.*To be repeated\s+1\s/s.test(await counts.innerText()));
      expect(await axeFindings(page)).toEqual([]);
      await button(/^Send again \d/).click();
      await stage.until('1 change will be sent again.');
      await button('Send again since stock').click();
      await button('Send again').last().click();
      await stage.until('This field is required.');
      await page.getByLabel('Changes from this time on').fill('2000-01-01T00:00');
      await button('Send again').last().click();
      await stage.until('1 change will be sent again.');
      await button('Send a test stock').click();
      await stage.until('The receiver did not accept the test: the connection failed: ECONNREFUSED.');

      // Deliveries that succeed leave the table.
      await page.route('**/catalogue/webhooks', async (route) => {
        const response = await route.fetch();
        const [stock] = await response.json();
        await route.fulfill({ response, json: [{ ...stock, waiting: 0 }] });
      });
      await page.getByRole('row', { name: /products 1/ }).waitFor({ state: 'detached' });
      await page.unroute('**/catalogue/webhooks');

      await button('Add a webhook').click();
      await page.getByRole('textbox', { name: /^Name/ }).fill('shop');
      await page.getByLabel('Address').fill('shop.example');
      await page.getByLabel('Offers').uncheck();
      await page.getByLabel('deleted rows').uncheck();
      await button('Add a condition').click();
      await page.getByLabel('Operator').selectOption('is at least');
      await page.getByLabel('Value').fill('5');
      expect(await axeFindings(page)).toEqual([]);
      await button('Preview').click();
      await stage.until(/^url must be an address such as/);
      await page.getByLabel('Address').fill('https://shop.example/changes');
      await button('Preview').click();
      await stage.until(
        /shop: .*collections: \[ products \], kinds: \[ insert, update \], where: id=gte.5, secret: whsec_…/,
      );
      await stage.until(/^whsec_… stands for a secret\./);
      await button('Cancel').last().click();
      await button('Cancel').click();

      // The conditions of several collections stay until the person removes them.
      await button('Change stock').click();
      const where = page.getByRole('group', { name: 'Rows' });
      const offers = page.getByLabel('Offers');
      await where.getByText('id=gte.1').waitFor();
      await offers.uncheck();
      expect(await where.getByLabel('Value').inputValue()).toBe('1');
      await where.getByLabel('Value').fill('2');
      await offers.check();
      await where.getByText('id=gte.2').waitFor();
      await button('Preview').click();
      await stage.until(/stock: .*where: id=gte.2/);
      await button('Cancel').last().click();
      await where.getByRole('button', { name: 'Remove' }).click();
      await button('Preview').click();
      await stage.until(/stock: (?!.*where).*secret: whsec_…/);
      await button('Cancel').last().click();
      await button('Cancel').click();

      // A text to copy has no secrets, so a new one is a variable.
      await page.route('**/catalogue/declaration', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), editable: false } });
      });
      await page.reload();
      await stage.until(/^collections.yaml, line/);
      await button('Add a webhook').click();
      await page.getByRole('textbox', { name: /^Name/ }).fill('my-shop');
      await page.getByLabel('Address').fill('https://shop.example/changes');
      expect(await page.getByLabel('Secret').inputValue()).toMatch(/^MY_SHOP_WEBHOOK_SECRET=whsec_[\w+/]{43}=$/);
      await button('Preview').click();
      await stage.until(/my-shop: .*secret: '\{env.MY_SHOP_WEBHOOK_SECRET\}'/);
      await button('Close').last().click();
      await button('Cancel').click();
      await page.unroute('**/catalogue/declaration');

      // The progress is read without a question for the password. The person asks for it.
      await page.context().clearCookies();
      await button('Try again').click();
      const bar = page.getByRole('form', { name: 'Log in again' });
      await bar.getByLabel('Password').fill(PASSWORD);
      await bar.getByRole('button', { name: 'Log in', exact: true }).click();
      await button('Change stock').waitFor();
    });

    test('adds a field by a form, and sees why an unsafe change is not applied', async () => {
      const { page } = stage;
      const button = (name: string | RegExp) => page.getByRole('button', { name });
      await logIn(stage);
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('link', { name: 'Data model' }).click();
      await button('Add a field Products').click();
      await page.getByLabel('Name').fill('name');
      await button('Preview').click();
      await stage.until('name exists already. Enter another name.');
      await page.getByLabel('Name').fill('price');
      // The mistake at the end of the form comes into view.
      await page.getByLabel('Pattern').fill('(');
      await page.getByLabel('Name').press('Enter');
      await page
        .getByText(/^Line 1, column 2|not a regular expression|pattern/)
        .first()
        .waitFor();
      await until('the mistake', () => page.evaluate('document.activeElement.labels?.[0]?.textContent === "Pattern"'));
      await page.getByLabel('Pattern').fill('');
      await page.getByLabel('Refers to').selectOption('offers');
      await button('Preview').click();
      await stage.until(/it is text, and the key of offers is int4: make it int4$/);
      await page.getByLabel('Refers to').selectOption('Nothing');
      await page.getByLabel('Type').fill('decimal(12,2)');
      await page.getByLabel('Required').check();
      await button('Preview').click();
      await stage.until('1 row has no price: products.price is new, required, and without a default');
      expect(await button('Apply').count()).toBe(0);
      await button('Close').click();
      // A cancelled form opens no preview.
      const { promise: held, resolve: answer } = Promise.withResolvers<void>();
      await page.route('**/catalogue/declaration', async (route) => {
        if (route.request().method() === 'PATCH') await held;
        await route.continue();
      });
      const planned = page.waitForRequest((request) => request.method() === 'PATCH');
      await button('Preview').click();
      const preview = await planned;
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      answer();
      await (await preview.response())!.finished();
      await page.unroute('**/catalogue/declaration');
      await button('Add a field Products').click();
      expect(await page.getByRole('dialog').count()).toBe(1);
      await page.getByLabel('Name').fill('price');
      await page.getByLabel('Type').fill('decimal(12,2)');
      await page.getByLabel('Minimum').fill('0');
      await button('Preview').click();
      await stage.until('add field products.price');
      expect(await axeFindings(page)).toEqual([]);
      await button('Apply').click();
      await page.getByRole('row', { name: 'price decimal(12,2) Minimum: 0' }).waitFor();
      expect(readFileSync(file, 'utf8')).toBe(
        DECLARATION.replace('required: true } }', "required: true }, price: { type: 'decimal(12,2)', minimum: 0 } }"),
      );
    });

    test('axe finds nothing on the settings in German, with dialogs open', async () => {
      await stage.reopen({ locale: 'de-DE' });
      const { page } = stage;
      await stage.open('/settings');
      await page.getByLabel('Passwort').fill(PASSWORD);
      await page.getByLabel('Name').fill('ann');
      await page.keyboard.press('Enter');
      const DIALOGS = [
        ['users', 'Benutzer hinzufügen'],
        ['sessions', ''],
        ['keys', 'Schlüssel hinzufügen'],
        ['roles', 'Was sie sieht partner'],
        ['roles', 'Ändern buyer'],
        ['model', 'Feld hinzufügen Products'],
        ['model', 'Entfernen price'],
        ['webhooks', 'Ändern stock'],
        ['backups', ''],
      ] as const;
      for (const [part, dialog] of DIALOGS) {
        await page.locator(`nav a[href$="/settings/${part}"]`).click();
        await page.locator(`html[lang=de] nav a[href$="/settings/${part}"][aria-current=page]`).waitFor();
        if (dialog === '') {
          expect({ part, findings: await axeFindings(page) }).toEqual({ part, findings: [] });
          continue;
        }
        await page.getByRole('button', { name: dialog }).click();
        await page.getByRole('dialog').waitFor();
        if (dialog === 'Entfernen price') {
          await stage.until('Feld products.price löschen');
          await stage.until('products.price ist nicht mehr deklariert, und 0 Zeilen haben einen Wert');
        }
        expect({ dialog, findings: await axeFindings(page) }).toEqual({ dialog, findings: [] });
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
    });

    test('reads in German what is wrong with a change, a webhook and a backup', async () => {
      await stage.reopen({ locale: 'de-DE' });
      const { page } = stage;
      const button = (name: string | RegExp) => page.getByRole('button', { name });
      const field = (name: string) => page.getByRole('dialog').getByLabel(name, { exact: true });
      const part = async (name: string) => {
        await page.getByRole('link', { name }).click();
        await button(/./).first().waitFor();
      };
      await stage.open('/settings');
      await page.getByLabel('Passwort').fill(PASSWORD);
      await page.getByLabel('Name').fill('ann');
      await page.keyboard.press('Enter');
      await part('Datenmodell');
      await button('Feld hinzufügen Products').click();
      await page.getByRole('textbox', { name: /^Name/ }).fill('tags');
      await field('Typ').fill('tex');
      await field('Muster').fill('(');
      await button('Vorschau').click();
      await stage.until(/den Typ tex gibt es nicht \(meinten Sie text\?\)$/);
      await stage.until(/eine runde Klammer ist nicht geschlossen oder nicht geöffnet$/);
      await field('Typ').fill('text[]');
      await field('Muster').fill('');
      await field('Vorgabe').fill('abc');
      await button('Vorschau').click();
      await stage.until(/„abc“ ist keine Liste; Eine Liste beginnt mit {\.$/);
      await field('Vorgabe').fill('');
      await field('Berechnet durch').fill('nam');
      await stage.until('Spalte 1: das Feld nam gibt es nicht (meinten Sie name?)');
      expect(await englishTexts(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await button('Ändern id').last().click();
      await field('Typ').fill('uuid');
      await button('Vorschau').click();
      await stage.until(/das Feld ist int4, und der Schlüssel von products ist uuid: Machen Sie uuid daraus$/);
      expect(await englishTexts(page)).toEqual([]);
      await page.keyboard.press('Escape');

      await part('Webhooks');
      await button('Test senden stock').click();
      await stage.until(
        'Der Empfänger hat den Test nicht angenommen: die Verbindung ist fehlgeschlagen: ECONNREFUSED.',
      );
      expect(await englishTexts(page)).toEqual([]);

      const backups = join(dirname(file), 'backups');
      renameSync(backups, `${backups}-of-before`);
      writeFileSync(backups, '');
      await part('Sicherungen');
      await stage.until('backups kann nicht gelesen werden: ein Teil des Pfads ist eine Datei und kein Ordner');
      await button('Jetzt sichern').click();
      await stage.until('Die Sicherung ist fehlgeschlagen: eine andere Datei heißt so.');
      expect(await englishTexts(page)).toEqual([]);
      rmSync(backups);
      renameSync(`${backups}-of-before`, backups);
      for (const name of ['Benutzer', 'Sitzungen', 'API-Schlüssel', 'Rollen']) {
        await part(name);
        await page.locator('.skeleton').first().waitFor({ state: 'hidden' });
        expect({ name, english: await englishTexts(page) }).toEqual({ name, english: [] });
      }
    });

    test('sees the plan of computed and translated fields and of comments, and renames a field', async () => {
      const { page } = stage;
      const button = (name: string | RegExp) => page.getByRole('button', { name });
      await logIn(stage);
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('link', { name: 'Data model' }).click();
      await button('Add a field Products').click();
      await page.getByLabel('Name').fill('twice');
      await page.getByLabel('Type').fill('decimal(12,2)');
      await page.getByLabel('Computed by').pressSequentially('2 * i', { delay: 20 });
      await stage.until(/^Column 5: .*i\b/);
      await page.keyboard.type('d');
      await button('Preview').click();
      await stage.until('add field products.twice');
      await button('Cancel').last().click();
      await button('Cancel').click();
      await button('Change Products').click();
      await page.getByLabel('Comments').fill('product_comments');
      await button('Preview').click();
      await stage.until('create table product_comments');
      await button('Cancel').last().click();
      await button('Cancel').click();

      // No form changes queries.
      await page.getByText('queries · collections.yaml, line 10').click();
      await stage.until('queries: { all: { read: products }, first: { read: products?id=eq.1 } }');

      // A use that does not follow is named with its line.
      await button('Change id').last().click();
      await page.getByRole('textbox', { name: /^Name/ }).fill('number');
      await button('Preview').click();
      await stage.until(/^collections\.yaml, line 8 · roles\.buyer\.offers\.read\.where: .*id/);
      await stage.until(/^collections\.yaml, line 10 · queries\.first.*: .*id/);
      await button('Cancel').click();

      // A renamed field keeps its values, its place and the rights of roles.
      await button('Change name').click();
      await page.getByLabel('Translations').fill('de');
      await page.getByRole('textbox', { name: /^Name/ }).fill('label');
      await button('Preview').click();
      await stage.until('rename field products.name to label');
      await stage.until('add field products.label_de');
      await button('Apply').click();
      await page.getByRole('row', { name: /^label text/ }).waitFor();
      expect(readFileSync(file, 'utf8')).toContain('viewer: { products: { read: { fields: [ id, label ] } } }');
      await stage.open('/c/products');
      await page.getByRole('gridcell', { name: /^Chai/ }).first().waitFor();
    });

    test('removes a field, with a permission for the loss, and sees what prevents a removal', async () => {
      const { page } = stage;
      const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
      await logIn(stage);
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('link', { name: 'Data model' }).click();
      await button('Remove Products').click();
      await page.getByRole('dialog', { name: 'The change is not possible yet' }).waitFor();
      await stage.until(/^collections\.yaml, line 3 · collections\.offers\.fields\.product_id\.references: /);
      await stage.until(/^collections\.yaml, line 7 · roles\.viewer\.products: unknown collection products$/);
      expect(await axeFindings(page)).toEqual([]);
      await button('Close').click();

      await button('Remove price').click();
      await stage.until('products.price is no longer declared, and 0 rows have a value');
      expect(await button('Apply').count()).toBe(0);
      await page.getByLabel('Do it on purpose: delete or change these values').check();
      expect(await axeFindings(page)).toEqual([]);
      await button('Apply').click();
      await page.getByRole('row', { name: /^price / }).waitFor({ state: 'detached' });
      expect(readFileSync(file, 'utf8')).not.toContain('price');
      expect(await stage.ask('/rpc/all')).toMatchObject({ code: 'PGRST302' });
    });
  },
  async () => {
    const cwd = temporaryFolder();
    file = join(cwd, 'collections.yaml');
    await Bun.write(file, DECLARATION);
    await Bun.write(join(cwd, 'products.json'), '[{"id":1,"name":"Chai"}]');
    await run({ cwd, args: ['migrate'] });
    await run({ cwd, args: ['user', 'add', 'ann', '--role', 'admin'], stdin: PASSWORD });
    return { cwd, args: ['--edit-declaration', '--backup-every', '90m'] };
  },
  // Each story goes on where the one before ended.
  { areApart: true },
);
