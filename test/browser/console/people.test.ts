/** Two people at the same time: a shared view, and who edits which row. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { axeFindings } from '../../support/browser/axe.ts';
import { browserStories, type Stage, untilShown } from '../../support/browser/browser.ts';
import { folderWithRoles } from '../../support/processes/access-folder.ts';
import { run, until } from '../../support/processes/process.ts';

const PASSWORD = 'correct horse battery';

async function logIn({ service }: Stage, page: Page, name: string, place: string): Promise<void> {
  await page.goto(`${service.url}/console${place}`);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
}

browserStories(
  'two people',
  (stage) => {
    test('a shared view is a tab for both, a private one only for its owner; both see who edits a row', async () => {
      const ann = stage.page;
      const context = await ann.context().browser()!.newContext();
      const ben = await context.newPage();
      await logIn(stage, ann, 'ann', '/c/products?order=product_name.desc');
      const save = async (name: string, isShared: boolean) => {
        await ann.getByRole('button', { name: 'Save as view' }).click();
        await ann.getByLabel('Name of the view').fill(name);
        if (isShared) await ann.getByLabel('Share with everyone').check();
        await ann.keyboard.press('Enter');
        await ann.getByRole('dialog').waitFor({ state: 'detached' });
      };
      await save('Only mine', false);
      await save('For all', true);

      await logIn(stage, ben, 'ben', '/c/products');
      await ben.getByRole('link', { name: 'For all' }).click();
      await untilShown(ben, ['Chang', 'Chai']);
      expect(await ben.getByText('Only mine').count()).toBe(0);
      expect(await ben.getByRole('button', { name: 'Actions of the view For all' }).count()).toBe(0);

      // Ann edits Chai: Ben sees it beside the row, and on its page until she saves.
      await ann.goto(`${stage.service.url}/console/c/products/1`);
      const sign = ann.waitForResponse((response) => response.url().endsWith('/catalogue/presence') && response.ok());
      await ann.getByLabel('Unit price').fill('18.5');
      await sign;
      await ben.reload();
      await ben.getByRole('img', { name: 'ann is editing this row' }).waitFor();
      expect(await axeFindings(ben)).toEqual([]);
      await ben.getByRole('link', { name: 'Open Chai' }).click();
      await ben.getByRole('status').filter({ hasText: 'ann is editing this row' }).waitFor();
      expect(await ann.getByText('is editing this row').count()).toBe(0);
      const left = ann.waitForResponse((response) => response.request().method() === 'DELETE');
      await ann.getByRole('button', { name: 'Save', exact: true }).click();
      await left;
      await ben.reload();
      await untilShown(ben, ['Chang', 'Chai']);
      expect(await ben.getByText('ann').count()).toBe(0);
      await context.close();
    });

    test('a comment appears on the page of the other at once, and only its author changes it', async () => {
      const ann = stage.page;
      const context = await ann.context().browser()!.newContext();
      const ben = await context.newPage();
      await logIn(stage, ann, 'ann', '/c/products');
      await ann.goto(`${stage.service.url}/console/c/products/1`);
      await logIn(stage, ben, 'ben', '/c/products');
      const section = (page: Page) => page.getByRole('region', { name: 'Comments' });
      await ann.getByText('No comments yet.').waitFor();
      await section(ann).getByRole('button', { name: 'Add comment' }).click();
      await section(ann).getByText('This field is required.').waitFor();
      await section(ann).getByRole('textbox').pressSequentially('Is 18 right?\nAsk first.', { delay: 20 });
      await ann.keyboard.press('Control+Enter');
      // Browsers allow six connections to a host: a page has one feed.
      const feeds: string[] = [];
      ben.on('request', (request) => {
        if (request.headers().accept === 'text/event-stream') feeds.push(request.url());
      });
      await ben.goto(`${stage.service.url}/console/c/products/1`);
      const question = section(ben).getByRole('article').filter({ hasText: 'ann' });
      await question.getByText('Ask first.').waitFor();
      expect(await question.getByRole('button').count()).toBe(0);
      await section(ben).getByRole('textbox').fill('Yes.');
      await section(ben).getByRole('button', { name: 'Add comment' }).click();
      const answer = section(ann).getByRole('article').filter({ hasText: 'ben' });
      await answer.getByText('Yes.').waitFor();
      expect(await axeFindings(ann)).toEqual([]);
      await section(ben).getByRole('button', { name: 'Change the comment' }).click();
      await section(ben).getByRole('article').getByRole('textbox').press('End');
      await ben.keyboard.type(' Checked.');
      await ben.keyboard.press('Control+Enter');
      await answer.getByText('Yes. Checked.').waitFor();
      await answer.getByText('edited').waitFor();
      await section(ben).getByRole('button', { name: 'Delete the comment' }).click();
      await answer.waitFor({ state: 'detached' });
      await ben.getByRole('button', { name: 'Undo' }).last().click();
      await answer.getByText('Yes. Checked.').waitFor();
      expect(await section(ann).locator('.count').textContent()).toBe('2');
      expect(feeds).toHaveLength(1);

      // So has a list with a row beside it.
      feeds.length = 0;
      await ben.goto(`${stage.service.url}/console/c/products?~row=1`);
      await section(ben).getByText('Ask first.').waitFor();
      await until('the feed', () => feeds.length > 0);
      await section(ann).getByRole('textbox').fill('Then 19.');
      await ann.keyboard.press('Control+Enter');
      await section(ben).getByText('Then 19.').waitFor();
      await ann.getByLabel('Unit price').fill('19');
      await ann.keyboard.press('Enter');
      await ben.getByText('ann changed this while the page was open.').waitFor();
      expect(await ben.getByLabel('Unit price', { exact: true }).inputValue()).toBe('19');
      expect(feeds).toHaveLength(1);
      await context.close();
    });

    test('a conflict names the other person; all own values are saved with one message and one undo', async () => {
      const ann = stage.page;
      const context = await ann.context().browser()!.newContext();
      const ben = await context.newPage();
      // Ann does not see the changes of Ben as they happen.
      await ann.route(/\/catalogue\/changes/, (route) =>
        route.request().headers().accept === 'text/event-stream' ? route.abort() : route.continue(),
      );
      await logIn(stage, ann, 'ann', '/c/products?order=id');
      await logIn(stage, ben, 'ben', '/c/products?order=id');
      const typePrices = async (page: Page, prices: readonly string[]) => {
        await page.locator('[data-row="0"] [data-field=unit_price]').click();
        for (const price of prices) {
          await page.keyboard.type(price, { delay: 60 });
          await page.keyboard.press('Enter');
        }
      };
      const prices = () => ben.locator('[data-field=unit_price][role=gridcell]').allTextContents();
      await typePrices(ben, ['40', '41']);
      await ben.getByText('Chang was saved.').waitFor();
      await typePrices(ann, ['20', '21']);
      const unsaved = ann.getByRole('region', { name: 'Not saved' });
      await unsaved.getByText('Chai: Unit price was not saved. ben changed this to 40.00.').waitFor();
      await unsaved.getByText('Chang: Unit price was not saved. ben changed this to 41.00.').waitFor();
      await unsaved.getByRole('button', { name: 'Save all of mine' }).click();
      const message = ann.locator('.toast');
      await message.getByText('2 cells changed.').waitFor();
      expect(await message.count()).toBe(1);
      await until('the prices of Ann', async () => String(await prices()).startsWith('20.00,21.00'));
      // The message covers the foot of the table, and no cell.
      const [{ y }, foot] = [(await message.boundingBox())!, (await ann.locator('.grid-foot').boundingBox())!];
      expect(y).toBeGreaterThanOrEqual(foot.y);
      await message.getByRole('button', { name: 'Undo' }).click();
      await until('the prices of Ben', async () => String(await prices()).startsWith('40.00,41.00'));
      await context.close();
    });
  },
  async () => {
    const cwd = await folderWithRoles();
    const file = join(cwd, 'collections.yaml');
    const text = await Bun.file(file).text();
    const rights = `    product_comments: { read: true, create: true, update: true, delete: true }
    changes: { read: true }
`;
    await Bun.write(file, text.replace('    rows:', '    comments: product_comments\n    rows:') + rights);
    await run({ cwd, args: ['migrate'] });
    for (const name of ['ann', 'ben'])
      await run({ cwd, args: ['user', 'add', name, '--role', 'editor'], stdin: PASSWORD });
    return { cwd };
  },
);
