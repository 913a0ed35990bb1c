/** `PUT` with `If-None-Match: *` creates a product, and never replaces one. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Catalogue, openCatalogue, TWO_ENGINES } from '../../support/engines/catalogue.ts';

describe.each(TWO_ENGINES)('create only on %s', (engine) => {
  let catalogue: Catalogue;
  beforeAll(async () => {
    catalogue = await openCatalogue(engine);
  });
  afterAll(() => catalogue.close());

  const put = (path: string, body: object) =>
    catalogue.fetch(path, { method: 'PUT', headers: { 'if-none-match': '*' }, body: JSON.stringify(body) });

  test('a product that does not exist is created', async () => {
    expect((await put('/products?id=eq.500', { id: 500, product_name: 'new' })).status).toBe(204);
    expect((await catalogue.fetch('/products/500')).status).toBe(200);
  });

  test.each(['/products?id=eq.2', '/products/2'])('%s exists and stays unchanged', async (path) => {
    const before = await (await catalogue.fetch('/products/2')).text();
    const response = await put(path, { id: 2, product_name: 'other' });
    expect(response.status).toBe(412);
    expect(await response.json()).toHaveProperty('code', 'CAT412');
    expect(await (await catalogue.fetch('/products/2')).text()).toBe(before);
  });

  test('exactly one of many concurrent creations of the same product succeeds', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `writer ${index}`);
    const answers = await Promise.all(
      names.map((product_name) => put('/products?id=eq.600', { id: 600, product_name })),
    );
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(answers.every(({ status }) => [204, 409, 412].includes(status))).toBe(true);
  });
});

describe.each(TWO_ENGINES)('rejected rows on %s', (engine) => {
  test('the error names an existing id and its row', async () => {
    const catalogue = await openCatalogue(engine);
    const body = JSON.stringify([900, 901, 1].map((id) => ({ id, product_name: 'x' })));
    const response = await catalogue.fetch('/products', { method: 'POST', body });
    expect(response.status).toBe(409);
    expect(((await response.json()) as { details: string }).details).toContain('(id)=(1) already exists');
    await catalogue.close();
  });
});
