/** Headers that clients rely on: lengths, an ETag for each representation, and bounded header sizes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Catalogue, openCatalogue, TWO_ENGINES } from '../../support/engines/catalogue.ts';

describe.each(TWO_ENGINES)('headers on %s', (engine) => {
  let catalogue: Catalogue;
  beforeAll(async () => {
    catalogue = await openCatalogue(engine);
  });
  afterAll(() => catalogue.close());

  test.each(['/products/1', '/products?limit=3', '/products?limit=3'])(
    'HEAD %s returns the length of the body',
    async (path) => {
      const length = (await (await catalogue.fetch(path)).arrayBuffer()).byteLength;
      const head = await catalogue.fetch(path, { method: 'HEAD' });
      expect(head.headers.get('content-length')).toBe(String(length));
      expect(await head.text()).toBe('');
    },
  );

  test('the same bytes with another media type have a different tag', async () => {
    const plain = await catalogue.fetch('/products?id=eq.1');
    const accept = 'application/vnd.pgrst.array+json;nulls=stripped';
    const stripped = await catalogue.fetch('/products?id=eq.1', { headers: { accept } });
    expect(await stripped.text()).toBe(await plain.text());
    expect(stripped.headers.get('etag')).not.toBe(plain.headers.get('etag'));
  });

  test('the response headers do not repeat a long list of ids', async () => {
    const ids = Array.from({ length: 4000 }, (_, index) => index + 1).join();
    const response = await catalogue.fetch(`/products?id=in.(${ids})&limit=10`);
    expect(response.status).toBe(200);
    const length = [...response.headers].reduce((sum, [name, value]) => sum + name.length + value.length, 0);
    expect(length).toBeLessThan(8_000);
  });

  test('a link that would contain a long value uses an offset instead', async () => {
    const product_name = `A${'a'.repeat(5_000)}`;
    await catalogue.fetch('/products', { method: 'POST', body: JSON.stringify({ product_name }) });
    const response = await catalogue.fetch('/products?order=product_name&limit=1');
    expect(response.headers.get('link')).toContain('offset=1>; rel="next"');
  });
});
