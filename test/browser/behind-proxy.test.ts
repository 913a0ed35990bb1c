/** The console and the API reference behind a proxy that serves them below a path, and does not even say so. */
import { afterEach, expect, test } from 'bun:test';
import { browserStories, SECONDS, untilShown } from '../support/browser.ts';

let proxy: ReturnType<typeof Bun.serve> | undefined;

/** Strips /api, and has nothing else. */
function stripping(target: string): string {
  proxy = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (!pathname.startsWith('/api/')) return new Response('nothing here', { status: 404 });
      const { method, headers, body } = request;
      const init = { method, headers, body, redirect: 'manual', decompress: false } as const;
      // A page that is left behind may still be asking when the service ends.
      const gone = () => new Response('the service is gone', { status: 502 });
      return fetch(`${target}${pathname.slice('/api'.length)}${search}`, init).catch(gone);
    },
  });
  return `http://127.0.0.1:${proxy.port}/api`;
}

afterEach(async () => {
  await proxy?.stop(true);
  proxy = undefined;
});

browserStories('behind a proxy', (stage) => {
  test(
    'the console reads and writes below the path, and asks for nothing else',
    async () => {
      await stage.reopen({}, stripping(stage.service.url));
      await stage.open('/products');
      await untilShown(stage.page, ['Chai', 'Chang']);
      expect(await stage.page.getByTestId('request-url').getAttribute('href')).toStartWith('/api/products');

      await stage.page.getByRole('button', { name: 'Edit in place: Chang' }).click();
      await stage.page.getByLabel('Unit price of Chang').fill('19.75');
      await stage.page.keyboard.press('Enter');
      await stage.until('Chang was saved.');
      expect(await stage.product(2)).toMatchObject({ unit_price: 19.75 });

      await stage.page.getByRole('link', { name: 'Chai', exact: true }).click();
      await stage.page.getByLabel('Product name').first().waitFor();
      await stage.open('/');
      await stage.page.getByRole('heading').first().waitFor();
    },
    SECONDS,
  );

  test(
    'so does the API reference',
    async () => {
      const address = stripping(stage.service.url);
      await stage.reopen({}, address);
      await stage.page.goto(`${address}/docs`);
      await stage.page.getByRole('heading', { name: 'Product Catalogue' }).first().waitFor();
    },
    SECONDS,
  );
});
