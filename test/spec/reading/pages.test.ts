/**
 * The description, pagination: each row of its table, its rules, and the behaviour that the design adds for the last
 * page.
 */
import { describe, expect, test } from 'bun:test';
import { ENGINES, REFERENCE_PRODUCTS } from '../../support/engines/catalogue.ts';
import { expectRefusal, ids, reference, sharedCatalogue } from '../../support/stories.ts';

const COUNTED = { headers: { prefer: 'count=exact' } };

describe.each(Object.keys(ENGINES))('the description, pagination, on %s', (engine) => {
  const catalogue = sharedCatalogue(engine);

  async function page(query: string, init?: RequestInit) {
    const response = await catalogue.fetch(`/products?${query}`, init);
    const rows = response.status < 400 ? ((await response.json()) as { id: number }[]) : [];
    return { status: response.status, range: response.headers.get('content-range'), ids: ids(rows) };
  }

  const idsFrom = (offset: number, count: number) => ids(REFERENCE_PRODUCTS.slice(offset, offset + count));

  describe('row 1: limit, no offset, no Prefer', () => {
    test.each([
      [1, '0-0/*'],
      [6, '0-5/*'],
      [33, '0-32/*'],
      [76, '0-75/*'],
      [77, '0-76/*'],
      [78, '0-76/*'],
      [5000, '0-76/*'],
    ])('limit=%d: 200 and Content-Range %s', async (limit, range) => {
      expect(await page(`limit=${limit}`)).toEqual({ status: 200, range, ids: idsFrom(0, limit) });
    });

    test('the last index in Content-Range follows the returned records, not the limit', async () => {
      expect(await page('limit=50&discontinued=neq.0')).toMatchObject({ status: 200, range: '0-9/*' });
    });
  });

  describe('row 2: limit and offset, no Prefer', () => {
    test.each([
      [1, 1, '1-1/*'],
      [7, 0, '0-6/*'],
      [12, 30, '30-41/*'],
      [20, 57, '57-76/*'],
    ])('limit=%d&offset=%d: 200 and Content-Range %s', async (limit, offset, range) => {
      const found = await page(`limit=${limit}&offset=${offset}`);
      expect(found).toEqual({ status: 200, range, ids: idsFrom(offset, limit) });
    });
  });

  describe('row 3: limit and offset with Prefer: count=exact, before the end', () => {
    test.each([
      [2, 0, '0-1/77'],
      [9, 4, '4-12/77'],
      [1, 75, '75-75/77'],
    ])('limit=%d&offset=%d: 206 and Content-Range %s', async (limit, offset, range) => {
      const found = await page(`limit=${limit}&offset=${offset}`, COUNTED);
      expect(found).toEqual({ status: 206, range, ids: idsFrom(offset, limit) });
    });

    test('the total is the number of matching records, not of all records', async () => {
      const found = await page('discontinued=neq.0&limit=4&offset=3', COUNTED);
      expect(found).toEqual({ status: 206, range: '3-6/10', ids: [9, 17, 24, 28] });
    });

    test('a limit without an offset has the same total', async () => {
      expect(await page('limit=5', COUNTED)).toMatchObject({ status: 206, range: '0-4/77' });
    });
  });

  describe('the rules', () => {
    test('1: the total is * if no count was requested, with or without a limit', async () => {
      expect(await page('')).toMatchObject({ range: '0-76/*' });
      expect(await page('category_id=eq.6')).toMatchObject({ range: '0-5/*' });
    });

    test('2: without count=exact a limited response has status 200', async () => {
      expect(await page('limit=3', { headers: { prefer: 'return=minimal' } })).toMatchObject({ status: 200 });
    });

    test('3: with count=exact a partial page has status 206', async () => {
      expect(await page('category_id=eq.6&limit=5', COUNTED)).toMatchObject({ status: 206, range: '0-4/6' });
    });
  });

  describe('the end of the result (rule 4, defined by the design)', () => {
    test('a counted page that holds the whole result: 200', async () => {
      expect(await page('', COUNTED)).toMatchObject({ status: 200, range: '0-76/77' });
      expect(await page('limit=77', COUNTED)).toMatchObject({ status: 200, range: '0-76/77' });
      expect(await page('limit=500', COUNTED)).toMatchObject({ status: 200, range: '0-76/77' });
    });

    test('the last page is a partial result: 206', async () => {
      const found = await page('limit=10&offset=70', COUNTED);
      expect(found).toEqual({ status: 206, range: '70-76/77', ids: idsFrom(70, 10) });
    });

    test('no match: */* without a count, */0 with a count, both with status 200', async () => {
      expect(await page('id=eq.0')).toEqual({ status: 200, range: '*/*', ids: [] });
      expect(await page('id=eq.0', COUNTED)).toEqual({ status: 200, range: '*/0', ids: [] });
    });

    test('an offset past the end without a count returns an empty page', async () => {
      expect(await page('limit=5&offset=100')).toEqual({ status: 200, range: '*/*', ids: [] });
    });

    test('an offset past the end of a counted result is rejected with 416', async () => {
      const response = await catalogue.fetch('/products?limit=5&offset=100', COUNTED);
      expect(response.headers.get('content-range')).toBe('*/77');
      const { details } = await expectRefusal(response, 416, 'PGRST103');
      expect(details).toContain('77');
    });

    test('limit=0 returns an empty page, counted or not', async () => {
      expect(await page('limit=0')).toEqual({ status: 200, range: '*/*', ids: [] });
      expect(await page('limit=0&offset=5', COUNTED)).toEqual({ status: 206, range: '*/77', ids: [] });
    });
  });

  test.each([1, 10, 13, 76])(
    'consecutive pages of %d form the whole list, without gaps or duplicates',
    async (size) => {
      const all: number[] = [];
      for (let offset = 0; offset < 77; offset += size) all.push(...(await page(`limit=${size}&offset=${offset}`)).ids);
      expect(all).toEqual(ids(REFERENCE_PRODUCTS));
    },
  );

  test('consecutive pages of an order with ties form the whole list', async () => {
    const all: number[] = [];
    for (let offset = 0; offset < 77; offset += 4) {
      all.push(...(await page(`order=discontinued.desc&limit=4&offset=${offset}`)).ids);
    }
    const discontinued = (id: number) => reference(id).discontinued === 1;
    const everything = ids(REFERENCE_PRODUCTS);
    expect(all).toEqual([...everything.filter(discontinued), ...everything.filter((id) => !discontinued(id))]);
  });

  test('a negative limit is an unsatisfiable range (416), and a negative offset is invalid (400)', async () => {
    await expectRefusal(await catalogue.fetch('/products?limit=-1'), 416, 'PGRST103');
    await expectRefusal(await catalogue.fetch('/products?offset=-1'), 400, 'PGRST100');
  });

  test.each(['-', '1.5', 'ten', '', '1e3', '0x10', '+5'])('"%s" is not a valid limit or offset', async (value) => {
    for (const name of ['limit', 'offset']) {
      await expectRefusal(await catalogue.fetch(`/products?${name}=${encodeURIComponent(value)}`), 400, 'PGRST100');
    }
  });

  test('a limit or offset beyond the integer range is treated as very large', async () => {
    expect(await page('limit=99999999999999999999')).toMatchObject({ status: 200, range: '0-76/*' });
    expect(await page('offset=99999999999999999999')).toEqual({ status: 200, range: '*/*', ids: [] });
    const range = (range: string) => ({ headers: { range } });
    expect(await page('', range('70-99999999999999999999'))).toMatchObject({ status: 200, range: '70-76/*' });
    expect(await page('', range('99999999999999999998-99999999999999999999'))).toMatchObject({ range: '*/*', ids: [] });
    const everything = 'limit=99999999999999999999&offset=99999999999999999999';
    expect(await page(everything, range('0-'))).toMatchObject({ status: 200, range: '*/*' });
  });
});
