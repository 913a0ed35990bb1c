/** Streamed results: they have the same rows and errors as small ones, and unread responses block nobody. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Row } from '../../../src/collection/value.ts';
import { type Catalogue, ENGINES, openCatalogue } from '../../support/engines/catalogue.ts';
import { expectRefusal, sendJson, TEN_FIELDS } from '../../support/stories.ts';

const COUNT = 10_000;
const COUNTED = { headers: { prefer: 'count=exact' } };
const OBJECT = { headers: { accept: 'application/vnd.pgrst.object+json' } };

describe.each(Object.keys(ENGINES))('large results on %s', (engine) => {
  let catalogue: Catalogue;
  const rows: Row[] = Array.from({ length: COUNT }, (_, index) => ({
    ...TEN_FIELDS,
    id: index + 1,
    product_name: `Jar ${index} of Lakkalikööri`,
    quantity_per_unit: index % 3 === 0 ? null : 'a "quoted", long enough text '.repeat(8),
  }));
  beforeAll(async () => {
    catalogue = await openCatalogue(engine);
    await catalogue.fetch('/products?id=not.is.null', { method: 'DELETE' });
    expect((await catalogue.fetch('/products', sendJson('POST', rows))).status).toBe(201);
  });
  afterAll(() => catalogue.close());

  test('the whole list with a count', async () => {
    const response = await catalogue.fetch('/products', COUNTED);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-range')).toBe(`0-${COUNT - 1}/${COUNT}`);
    expect(Bun.deepEquals(await response.json(), rows)).toBe(true);
  });

  test('a large page of the list', async () => {
    const response = await catalogue.fetch('/products?limit=8000&offset=1000', COUNTED);
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe(`1000-8999/${COUNT}`);
    expect(Bun.deepEquals(await response.json(), rows.slice(1000, 9000))).toBe(true);
  });

  test('following next over large pages returns every row once, using the keys of the order', async () => {
    const seen: Row[] = [];
    let url: string | undefined = '/products?order=product_name.desc&limit=4000';
    for (let page = 0; url !== undefined && page < 5; page++) {
      const response = await catalogue.fetch(url);
      seen.push(...((await response.json()) as Row[]));
      url = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
      expect(url ?? '').not.toContain('offset');
    }
    expect(Bun.deepEquals(seen, await catalogue.list('/products?order=product_name.desc'))).toBe(true);
    expect(seen).toHaveLength(COUNT);
  });

  test.each([
    ['application/json', 'select=product_name'],
    ['application/json', 'select=product_name&order=product_name'],
    ['application/vnd.pgrst.array+json;nulls=stripped', 'select=id'],
    ['application/x-ndjson', 'select=product_name'],
    ['text/csv', 'select=id,product_name'],
  ])('next continues by the keys of the order for any page size: %s of %s', async (accept, query) => {
    const offsets: number[] = [];
    for (const limit of [200, 500, 1000, 1024, 2000, 4000]) {
      const response = await catalogue.fetch(`/products?${query}&limit=${limit}`, { headers: { accept } });
      await response.text();
      if (!response.headers.get('link')!.includes('after=')) offsets.push(limit);
    }
    expect(offsets).toEqual([]);
  });

  test('concurrent pages that are read later do not mix', async () => {
    const offsets = Array.from({ length: 40 }, (_, index) => index * 37);
    const urls = offsets.map((offset) => `/products?order=id&limit=${50 + (offset % 90)}&offset=${offset}`);
    // The third round reads from the response cache.
    for (let time = 0; time < 3; time++) {
      const responses = await Promise.all(urls.map((url) => catalogue.fetch(url)));
      const heads = await Promise.all(urls.map((url) => catalogue.fetch(url, { method: 'HEAD' })));
      for (const [index, response] of responses.entries()) {
        const offset = offsets[index]!;
        const text = await response.text();
        expect(Bun.deepEquals(JSON.parse(text), rows.slice(offset, offset + 50 + (offset % 90)))).toBe(true);
        expect(heads[index]!.headers.get('etag')).toBe(response.headers.get('etag'));
        expect(heads[index]!.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
      }
    }
  });

  test('a list that is being sent does not wait for all costly reads that begin', async () => {
    const response = await catalogue.fetch('/products');
    let finished = 0;
    const costly = Array.from({ length: 40 }, async (_, index) => {
      await catalogue.list(`/products?select=id&order=quantity_per_unit&limit=1&offset=${9_000 + index}`);
      finished++;
    });
    expect((await response.json()) as Row[]).toHaveLength(COUNT);
    expect(finished).toBeLessThan(costly.length);
    await Promise.all(costly);
  });

  test('the list as NDJSON and as CSV', async () => {
    const lines = async (accept: string) =>
      (await (await catalogue.fetch('/products?select=id', { headers: { accept } })).text()).trimEnd().split('\n');
    expect(await lines('application/x-ndjson')).toEqual(rows.map(({ id }) => `{"id":${id}}`));
    expect(await lines('text/csv')).toEqual(['id', ...rows.map(({ id }) => String(id))]);
    const marked = await catalogue.fetch('/products?select=id', { headers: { accept: 'text/csv;bom=true' } });
    expect([...new Uint8Array(await marked.arrayBuffer()).subarray(0, 6)]).toEqual([...Buffer.from('\uFEFFid\n')]);
  });

  test('a large list requested as one object: 406 with the number of rows', async () => {
    const { details } = await expectRefusal(await catalogue.fetch('/products', OBJECT), 406, 'PGRST116');
    expect(details).toContain(`${COUNT} rows`);
  });

  test('the list without nulls', async () => {
    const headers = { accept: 'application/vnd.pgrst.array+json;nulls=stripped' };
    const found = (await (await catalogue.fetch('/products?limit=8000', { headers })).json()) as Row[];
    expect(found).toHaveLength(8000);
    expect(found.filter((row) => 'quantity_per_unit' in row)).toHaveLength(5333);
  });

  test('clients that stop reading, read only the head, or read past the end do not block others', async () => {
    for (let round = 0; round < 5; round++) {
      const reader = (await catalogue.fetch('/products')).body!.getReader();
      await reader.read();
      await reader.cancel();
      expect((await catalogue.fetch('/products', { method: 'HEAD', ...COUNTED })).status).toBe(200);
      await expectRefusal(await catalogue.fetch('/products?limit=5&offset=30000', COUNTED), 416, 'PGRST103');
      await expectRefusal(await catalogue.fetch('/products?limit=4000', OBJECT), 406, 'PGRST116');
      expect((await catalogue.fetch('/products?id=eq.0&limit=5', COUNTED)).headers.get('content-range')).toBe('*/0');
    }
    expect(await catalogue.list('/products?limit=2')).toEqual(rows.slice(0, 2));
  });
});
