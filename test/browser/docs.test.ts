/** The API reference in a real browser: read, and tried, with nothing from anywhere else. */
import { expect, test } from 'bun:test';
import { browserStories, SECONDS } from '../support/browser.ts';

browserStories('the API reference', (stage) => {
  test(
    'it shows the operations, and a request can be tried',
    async () => {
      await stage.page.goto(`${stage.service.url}/docs`);
      await stage.page.getByRole('heading', { name: 'Product Catalogue' }).first().waitFor();
      await stage.picture('docs');
      await stage.page.goto(`${stage.service.url}/docs#tag/read/GET/products`);
      await stage.page
        .getByRole('button', { name: /Test Request/ })
        .first()
        .click();
      const answered = stage.page.waitForResponse((response) => new URL(response.url()).pathname === '/products');
      await stage.page.getByRole('button', { name: /^Send/ }).first().click();
      const response = await answered;
      expect(response.status()).toBe(200);
      expect((await response.json()) as unknown[]).toHaveLength(77);
    },
    SECONDS,
  );
});
