/** A web page of another site may read a catalogue on its visitor's machine, but never write. */
import { afterEach, expect, test } from 'bun:test';
import { browserStories } from '../../support/browser/browser.ts';
import { startService, temporaryFolder } from '../../support/processes/process.ts';

let site: ReturnType<typeof Bun.serve> | undefined;
afterEach(async () => {
  await site?.stop(true);
  site = undefined;
});

/** A site with an empty page. */
function otherSite(): string {
  const html = '<!doctype html><title>Elsewhere</title><link rel="icon" href="data:,"><iframe name="frame"></iframe>';
  const headers = { 'content-type': 'text/html' };
  site = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(html, { headers }) });
  return `http://elsewhere.example:${site.port}`;
}

/** Tries every way to write that a page has, and returns the result of each. */
const ATTACK = `async (catalogue) => {
  const row = '{"product_name":"Smuggled in"}';
  const json = { 'content-type': 'application/json' };
  const attempt = (path, init) => fetch(catalogue + path, init).then((answer) => answer.status || answer.type, () => 'failed');
  const seen = {
    // Browsers send these without a preflight request.
    plain: await attempt('/products', { method: 'POST', body: row, headers: { 'content-type': 'text/plain' } }),
    blind: await attempt('/products', { method: 'POST', body: new URLSearchParams(JSON.parse(row)), mode: 'no-cors' }),
    form: await attempt('/products', { method: 'POST', body: new URLSearchParams(JSON.parse(row)) }),
    json: await attempt('/products', { method: 'POST', body: row, headers: json }),
    patch: await attempt('/products?id=eq.1', { method: 'PATCH', body: row, headers: json }),
    remove: await attempt('/products?id=eq.1', { method: 'DELETE' }),
    disguised: await attempt('/products', { method: 'POST', body: row, headers: { 'x-forwarded-host': location.host } }),
    read: await attempt('/products?limit=1'),
  };
  const form = document.createElement('form');
  form.method = 'post';
  form.action = catalogue + '/products';
  form.target = 'frame';
  const input = form.appendChild(document.createElement('input'));
  input.name = 'product_name';
  input.value = 'Smuggled in';
  document.body.append(form);
  const loaded = new Promise((resolve) => { document.querySelector('iframe').onload = resolve; });
  form.submit();
  await loaded;
  return seen;
}`;

browserStories('a page of another site', (stage) => {
  const smuggled = async (address: string) => {
    const answer = await fetch(`${address}/products?product_name=eq.Smuggled%20in&select=count()`);
    return ((await answer.json()) as { count: number }[])[0]!.count;
  };

  test('it can read, and no way to write changes anything', async () => {
    const page = otherSite();
    await stage.reopen({}, page);
    await stage.page.goto(page);
    const seen = await stage.page.evaluate(`(${ATTACK})(${JSON.stringify(stage.service.url)})`);
    expect(seen).toEqual({
      plain: 403,
      blind: 'opaque',
      form: 403,
      json: 'failed',
      patch: 'failed',
      remove: 'failed',
      disguised: 'failed',
      read: 200,
    });
    expect(await smuggled(stage.service.url)).toBe(0);
    expect(await stage.product(1)).toMatchObject({ product_name: 'Chai' });
    // Errors of requests to other addresses, and of requests that the browser blocked.
    stage.complaints.length = 0;
  });

  test('a site whose name resolves to this machine gets no answer', async () => {
    const page = `http://rebound.example:${stage.service.port}`;
    await stage.reopen({}, page);
    const answer = await stage.page.goto(`${page}/console`);
    expect(answer!.status()).toBe(421);
    const statuses = await stage.page.evaluate(`(async () => {
            const post = { method: 'POST', body: '{"product_name":"Smuggled in"}', headers: { 'x-forwarded-host': 'localhost' } };
            return [(await fetch('/products', post)).status, (await fetch('/products?limit=1')).status];
          })()`);
    expect(statuses).toEqual([421, 421]);
    expect(await smuggled(stage.service.url)).toBe(0);
    stage.complaints.length = 0;
  });

  test('a site in --cors-origins can write', async () => {
    const page = otherSite();
    const open = await startService({ cwd: temporaryFolder(), args: ['--cors-origins', page] });
    await stage.reopen({}, page);
    await stage.page.goto(page);
    const seen = await stage.page.evaluate(`(${ATTACK})(${JSON.stringify(open.url)})`);
    expect(seen).toMatchObject({ plain: 400, json: 201, patch: 204, form: 201, read: 200 });
    // The rows of: json, blind, form, the form in the page, and the change. One of them was deleted.
    expect(await smuggled(open.url)).toBe(4);
    stage.complaints.length = 0;
  });
});
