/** The API reference in a real browser: operations to read, and forms that send requests. */
import { expect, test } from 'bun:test';
import { axeFindings } from '../../support/browser/axe.ts';
import { browserStories, type Stage } from '../../support/browser/browser.ts';

/** Opens the form of an operation on products. */
async function open({ page, service }: Stage, operation: string, origin = service.url) {
  await page.goto(`${origin}/docs`);
  await page.locator('.opblock-tag').first().click();
  const section = page.locator(`#operations-products-${operation}`);
  await section.locator('.opblock-summary-control').click();
  await section.getByRole('button', { name: 'Try it out' }).click();
  return section;
}

browserStories('the API reference', (stage) => {
  test('lists the collections first, and an operation with its parameters and errors', async () => {
    const { page, service } = stage;
    await page.goto(`${service.url}/docs`);
    await page.getByRole('heading', { name: /^products/ }).waitFor();
    const tags = await page.locator('.opblock-tag').allInnerTexts();
    expect(tags[0]).toStartWith('products');
    await page.locator('.opblock-tag').first().click();
    const list = page.locator('#operations-products-list_products');
    await list
      .getByRole('button', { name: /GET.*products/ })
      .first()
      .click();
    await list.getByText('Sort keys').waitFor();
    expect(await list.innerText()).toContain('PGRST103');
    await stage.picture('docs');
  });

  test('a form sends a request, and the page shows it as a program', async () => {
    const section = await open(stage, 'list_products');
    await section.getByPlaceholder('select').fill('id,product_name');
    await section.getByPlaceholder('order').fill('id.desc');
    await section.getByPlaceholder('limit').fill('1');
    // The filter is an object of conditions.
    await section.locator('textarea').first().fill('{"id": "lt.3"}');
    await section.getByRole('button', { name: 'Execute' }).click();
    const body = section.locator('.live-responses-table .response-col_description pre').first();
    await body.getByText('Chang').waitFor();
    expect(JSON.parse(await body.innerText())).toEqual([{ id: 2, product_name: 'Chang' }]);
    const programs = section.locator('.request-snippets');
    expect(await programs.innerText()).toContain(`/products?id=lt.3&select=id%2Cproduct_name&order=id.desc&limit=1`);
    await programs.getByText('JavaScript').click();
    expect(await programs.innerText()).toContain('await fetch(');
  });

  test('a write is a dry run until the user switches that off', async () => {
    const { page } = stage;
    const section = await open(stage, 'update_one_of_products');
    await section.getByPlaceholder('id', { exact: true }).fill('1');
    await section.locator('textarea.body-param__text').fill('{"unit_price": 99}');
    const send = async () => {
      const answered = page.waitForResponse((response) => response.request().method() === 'PATCH');
      await section.getByRole('button', { name: 'Execute' }).click();
      return (await answered).status();
    };
    expect(await send()).toBe(204);
    expect((await stage.product(1)).unit_price).toBe(18);
    await page.getByLabel('Dry run').uncheck();
    expect(await send()).toBe(204);
    expect((await stage.product(1)).unit_price).toBe(99);
  });

  test('forms work behind a proxy that adds a prefix', async () => {
    const proxy = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      // A busy service may answer late.
      idleTimeout: 0,
      fetch(request) {
        const { pathname, search } = new URL(request.url);
        if (!pathname.startsWith('/api/')) return new Response(null, { status: 404 });
        return fetch(`${stage.service.url}${pathname.slice('/api'.length)}${search}`, { decompress: false });
      },
    });
    const origin = `http://127.0.0.1:${proxy.port}/api`;
    await stage.reopen({}, origin);
    const section = await open(stage, 'read_one_of_products', origin);
    await section.getByPlaceholder('id', { exact: true }).fill('1');
    await section.getByRole('button', { name: 'Execute' }).click();
    await section.locator('.live-responses-table').getByText('Chai').first().waitFor();
    await proxy.stop(true);
  });

  test('axe finds nothing serious, and the page fits a narrow screen', async () => {
    const { page } = stage;
    await open(stage, 'update_products');
    await page.setViewportSize({ width: 390, height: 780 });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    // The headings and landmarks are those of Swagger UI.
    const own = (await axeFindings(page)).filter((each) => !/^(heading-order|region): /.test(each));
    expect(own).toEqual([]);
  });
});
