/** A proxy in front of the service asks for credentials, and the console asks the person for a token. */
import { afterEach, expect, test } from 'bun:test';
import { browserStories, untilShown } from '../../support/browser/browser.ts';

const REFUSED = { code: 'PGRST301', message: 'JWSError JWSInvalidSignature', details: null, hint: null };

let proxy: ReturnType<typeof Bun.serve> | undefined;

/** Guards the products, and forwards all other requests. */
function guard(target: string): string {
  proxy = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    // A busy service may answer late.
    idleTimeout: 0,
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (pathname.startsWith('/products') && request.headers.get('authorization') !== 'Bearer right') {
        return Response.json(REFUSED, { status: 401, headers: { 'www-authenticate': 'Bearer' } });
      }
      return fetch(`${target}${pathname}${search}`, {
        method: request.method,
        headers: request.headers,
        body: request.body,
        redirect: 'manual',
        decompress: false,
      });
    },
  });
  return `http://127.0.0.1:${proxy.port}`;
}

afterEach(async () => {
  await proxy?.stop(true);
  proxy = undefined;
});

browserStories('token', (stage) => {
  test('the console asks for a token, reports a rejected one, sends it with every request, and forgets it on request', async () => {
    await stage.reopen({}, guard(stage.service.url));
    await stage.open('/c/products');
    await stage.until('The service asks for credentials.');
    await stage.page.getByLabel('Token').fill('wrong');
    await stage.page.keyboard.press('Enter');
    const bar = stage.page.getByRole('form', { name: 'Log in again' });
    await bar.getByText('JWSError JWSInvalidSignature').waitFor();
    await bar.getByLabel('Token').fill('right');
    await bar.getByRole('button', { name: 'Log in' }).click();
    await untilShown(stage.page, ['Chai', 'Chang']);

    await stage.page.getByRole('link', { name: 'Open Chang' }).click();
    await stage.page.getByLabel('Unit price').fill('19.75');
    await stage.page.getByRole('button', { name: 'Save', exact: true }).click();
    await stage.until('Saved.');
    expect(await stage.product(2)).toMatchObject({ unit_price: 19.75 });

    await stage.page.getByRole('button', { name: 'Account' }).click();
    await stage.page.getByRole('menuitem', { name: 'Log out' }).click();
    await stage.until('The service asks for credentials.');
    expect(await stage.page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('right');
  });
});
