/** The console and the API reference behind a proxy that adds a path prefix and sends no header about it. */
import { afterEach, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { browserStories, untilShown } from '../../support/browser/browser.ts';
import { newAuthority } from '../../support/network/certificates.ts';
import { temporaryFolder } from '../../support/processes/process.ts';

let proxy: ReturnType<typeof Bun.serve> | undefined;

/** Strips /api and answers nothing else. As `shop.example` it uses HTTPS, and forwards the service's own host name. */
function stripping(target: string, as: '127.0.0.1' | 'shop.example' = '127.0.0.1'): string {
  const isSecure = as === 'shop.example';
  proxy = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    // A busy service may answer late.
    idleTimeout: 0,
    ...(isSecure ? { tls: certificateFor(as) } : {}),
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (!pathname.startsWith('/api/')) return new Response('nothing here', { status: 404 });
      const { method, headers, body } = request;
      if (isSecure) headers.set('host', new URL(target).host);
      const init = { method, headers, body, redirect: 'manual', decompress: false } as const;
      // A page that was left may still send requests when the service ends.
      const gone = () => new Response('the service is gone', { status: 502 });
      return fetch(`${target}${pathname.slice('/api'.length)}${search}`, init).catch(gone);
    },
  });
  return `${isSecure ? 'https' : 'http'}://${as}:${proxy.port}/api`;
}

function certificateFor(name: string): { cert: ReturnType<typeof Bun.file>; key: ReturnType<typeof Bun.file> } {
  const { certificate, key } = newAuthority(temporaryFolder(), 'proxy').vouchFor(`DNS:${name}`);
  return { cert: Bun.file(certificate), key: Bun.file(key) };
}

afterEach(async () => {
  await proxy?.stop(true);
  proxy = undefined;
});

async function changePrice(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Open Chang' }).click();
  await page.getByLabel('Unit price').fill('19.75');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
}

browserStories('behind a proxy', (stage) => {
  test('the console reads and writes below the prefix, and requests nothing else', async () => {
    await stage.reopen({}, stripping(stage.service.url));
    await stage.open('/c/products');
    await untilShown(stage.page, ['Chai', 'Chang']);
    await changePrice(stage.page);
    expect(await stage.product(2)).toMatchObject({ unit_price: 19.75 });
    await stage.open('/');
    await stage.page.getByRole('heading').first().waitFor();
  });

  test('a proxy with HTTPS and its own host name also needs no headers', async () => {
    await stage.reopen({ ignoreHTTPSErrors: true }, stripping(stage.service.url, 'shop.example'));
    await stage.open('/c/products');
    await untilShown(stage.page, ['Chai', 'Chang']);
    await changePrice(stage.page);
    expect(await stage.product(2)).toMatchObject({ unit_price: 19.75 });
  });

  test('the API reference also works', async () => {
    const address = stripping(stage.service.url);
    await stage.reopen({}, address);
    await stage.page.goto(`${address}/docs`);
    await stage.page.getByRole('heading', { name: 'Product Catalogue' }).first().waitFor();
  });
});
