/** The API reference in a real browser: pages to read, and forms that send requests. */
import { expect, test } from 'bun:test';
import { seriousFindings } from '../../support/browser/axe.ts';
import { browserStories, type Stage } from '../../support/browser/browser.ts';

/** Opens the form of an operation. */
async function open({ page, service }: Stage, operation: string, origin = service.url) {
  await page.goto(`${origin}/docs/products#${operation}`);
  const section = page.locator(`#${operation}`);
  await section.getByText('Try it').click();
  return section;
}

browserStories('the API reference', (stage) => {
  test('the index leads to a collection, and an operation to its parameters and errors', async () => {
    const { page, service } = stage;
    await page.goto(`${service.url}/docs`);
    await page.getByRole('heading', { name: 'Product Catalogue API' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'products', exact: true }).click();
    await page.locator('#list_products').waitFor();
    expect(new URL(page.url()).pathname).toBe('/docs/products');
    await stage.picture('docs');
    const contents = page.getByRole('navigation', { name: 'Contents' });
    await contents.getByRole('link', { name: 'GET /products', exact: true }).click();
    expect(new URL(page.url()).hash).toBe('#list_products');
    await page.locator('#list_products').getByRole('link', { name: 'unit_price' }).first().click();
    expect(new URL(page.url()).hash).toBe('#parameter-products.filter.unit_price');
    await page.locator('#list_products').getByRole('link', { name: '416' }).click();
    expect(await page.locator('#error-416').innerText()).toContain('PGRST103');
  });

  test('the keyboard alone sends a request, and the page shows it as a command', async () => {
    const { page, service } = stage;
    await page.goto(`${service.url}/docs/products#list_products_selected`);
    const section = page.locator('#list_products_selected');
    await section.getByText('Try it').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    // The first filter is that of the key. Both conditions must hold.
    await page.keyboard.type('gt.2');
    await page.keyboard.press('Enter');
    await page.keyboard.type('lte.4');
    await section.getByLabel('select query').focus();
    await page.keyboard.type('id,product_name');
    const command = `curl '${service.url}/rest/v1/products?id=gt.2&id=lte.4&select=id,product_name&limit=10'`;
    expect(await section.getByLabel('As a command').innerText()).toBe(command);
    await page.keyboard.press('Enter');
    const body = section.getByLabel('Response body');
    await body.waitFor();
    expect(JSON.parse(await body.innerText())).toEqual([
      { id: 3, product_name: 'Aniseed Syrup' },
      { id: 4, product_name: "Chef Anton's Cajun Seasoning" },
    ]);
    expect(await section.getByRole('status').innerText()).toContain('200 OK');
  });

  test('a write is a dry run until the user switches that off', async () => {
    const section = await open(stage, 'update_one_of_products');
    await section.getByLabel('Body').fill('{"unit_price": 99}');
    await section.getByRole('button', { name: 'Send' }).click();
    const answer = section.getByRole('status');
    await answer.getByText('204').waitFor();
    expect((await stage.product(1)).unit_price).toBe(18);
    await section.getByLabel('Dry run').uncheck();
    const stored = stage.page.waitForResponse((response) => response.request().method() === 'PATCH');
    await section.getByRole('button', { name: 'Send' }).click();
    await stored;
    expect((await stage.product(1)).unit_price).toBe(99);
  });

  test('the user chooses an example of a body, and sees why the service rejects one', async () => {
    const section = await open(stage, 'create_products_selected');
    await section.getByRole('combobox', { name: 'Example' }).selectOption({ label: 'text/csv: Example' });
    expect(await section.getByLabel('Body').inputValue()).toStartWith('product_name,discontinued,');
    await section.getByRole('button', { name: 'Send' }).click();
    await section.getByRole('status').getByText('201').waitFor();
    await section.getByLabel('Body').fill('colour\nred\n');
    await section.getByRole('button', { name: 'Send' }).click();
    await section.getByText('PGRST204').waitFor();
  });

  test('forms work behind a proxy that adds a prefix', async () => {
    const proxy = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch(request) {
        const { pathname, search } = new URL(request.url);
        if (!pathname.startsWith('/api/')) return new Response(null, { status: 404 });
        return fetch(`${stage.service.url}${pathname.slice('/api'.length)}${search}`, { decompress: false });
      },
    });
    const origin = `http://127.0.0.1:${proxy.port}/api`;
    await stage.reopen({}, origin);
    const section = await open(stage, 'read_one_of_products', origin);
    await section.getByRole('button', { name: 'Send' }).click();
    await section.getByLabel('Response body').getByText('Chai').waitFor();
    await proxy.stop(true);
  });

  test('axe finds nothing serious in either theme, and the page fits a narrow screen', async () => {
    const { page } = stage;
    const section = await open(stage, 'update_products');
    await section.getByRole('button', { name: 'Send' }).click();
    await section.getByText('21000').waitFor();
    // The width of a phone.
    await page.setViewportSize({ width: 390, height: 780 });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    // Sections of one kind have the same elements, and axe would need long for all of them.
    await page.evaluate(`document.querySelectorAll('section > section:nth-of-type(n+3):not(#update_products)')
        .forEach((section) => section.remove())`);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await seriousFindings(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await seriousFindings(page, ['color-contrast'])).toEqual([]);
  });
});
