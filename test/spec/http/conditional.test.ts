/** Conditional requests (RFC 9110, 13): unchanged responses are not sent again, and no update is lost. */
import { describe, expect, test } from 'bun:test';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { expectRefusal, expectUntouched, ownCatalogue, reference, sendJson } from '../../support/stories.ts';

describe.each(TWO_ENGINES)('conditional requests on %s', (engine) => {
  const catalogue = ownCatalogue(engine);
  const tagOf = async (path: string, headers: Record<string, string> = {}) =>
    (await catalogue.fetch(path, { headers })).headers.get('etag')!;
  const patch = (path: string, body: object, headers: Record<string, string>) =>
    catalogue.fetch(path, sendJson('PATCH', body, headers));

  describe('ETag', () => {
    test('an item and a list have a strong ETag, which stays the same while nothing changes', async () => {
      for (const path of ['/products/3', '/products', '/products?category_id=eq.2', '/products?id=eq.0']) {
        expect(await tagOf(path)).toMatch(/^"[^"]+"$/);
        expect(await tagOf(path)).toBe(await tagOf(path));
      }
    });

    test('the ETag changes with the product, and returns when the product gets its old values back', async () => {
      const [item, list] = [await tagOf('/products/3'), await tagOf('/products')];
      await patch('/products/3', { units_in_stock: 14 }, {});
      expect(await tagOf('/products/3')).not.toBe(item);
      expect(await tagOf('/products')).not.toBe(list);
      await patch('/products/3', { units_in_stock: 13 }, {});
      expect(await tagOf('/products/3')).toBe(item);
    });

    test('the ETag stays when another product changes', async () => {
      const tag = await tagOf('/products/3');
      await patch('/products/4', { units_in_stock: 14 }, {});
      expect(await tagOf('/products/3')).toBe(tag);
    });

    test('lists with equal rows but different pages have different ETags', async () => {
      const counted = await tagOf('/products?limit=2', { prefer: 'count=exact' });
      expect(counted).not.toBe(await tagOf('/products?limit=2'));
    });

    test('each representation has its own ETag', async () => {
      const tags = [
        await tagOf('/products/3'),
        await tagOf('/products/3?select=id'),
        await tagOf('/products/3', { accept: 'text/csv' }),
      ];
      expect(new Set(tags).size).toBe(3);
    });

    test('a write with return=representation returns the new ETag', async () => {
      const response = await patch('/products/3', { unit_price: 11 }, { prefer: 'return=representation' });
      expect(response.headers.get('etag')).toBe(await tagOf('/products/3'));
    });
  });

  describe('If-None-Match', () => {
    const paths = ['/products/3', '/products/3?select=id,unit_price', '/products', '/products?limit=5&offset=2'];

    test.each(paths)('%s: 304 without a body while the ETag is the same, 200 once it has changed', async (path) => {
      const tag = await tagOf(path);
      const again = await catalogue.fetch(path, { headers: { 'if-none-match': tag } });
      expect(again.status).toBe(304);
      expect(await again.text()).toBe('');
      expect(again.headers.get('etag')).toBe(tag);
      await patch('/products/3', { unit_price: 99 }, {});
      const changed = await catalogue.fetch(path, { headers: { 'if-none-match': tag } });
      expect(changed.status).toBe(200);
      expect(changed.headers.get('etag')).not.toBe(tag);
    });

    test('one of several tags, a weak tag and * also match', async () => {
      const tag = await tagOf('/products/3');
      for (const condition of [`"other", ${tag}`, `W/${tag}`, '*']) {
        const response = await catalogue.fetch('/products/3', { headers: { 'if-none-match': condition } });
        expect(response.status).toBe(304);
      }
    });

    test('a different tag returns the product', async () => {
      const response = await catalogue.fetch('/products/3', { headers: { 'if-none-match': '"other"' } });
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual(reference(3));
    });

    test('HEAD gives the same status', async () => {
      const headers = { 'if-none-match': await tagOf('/products') };
      expect((await catalogue.fetch('/products', { method: 'HEAD', headers })).status).toBe(304);
    });

    test('a product that does not exist gives 404, whatever the condition', async () => {
      await expectRefusal(await catalogue.fetch('/products/900', { headers: { 'if-none-match': '*' } }), 404, 'CAT404');
    });
  });

  describe('If-Match', () => {
    test('the second of two editors gets 412, and the change of the first is not lost', async () => {
      const seenByBoth = await tagOf('/products/7');
      const first = await patch('/products/7', { unit_price: 31 }, { 'if-match': seenByBoth });
      expect(first.status).toBe(204);
      const second = await patch('/products/7', { unit_price: 29 }, { 'if-match': seenByBoth });
      await expectRefusal(second, 412, 'CAT412');
      expect(await catalogue.list('/products?id=eq.7')).toEqual([{ ...reference(7), unit_price: 31 }]);
    });

    test('exactly one of ten concurrent editors succeeds', async () => {
      const tag = await tagOf('/products/7');
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          patch('/products/7', { units_in_stock: 500 + index }, { 'if-match': tag }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(9).fill(412)]);
    });

    test.each(['PUT', 'DELETE', 'PATCH'])(
      '%s with an outdated tag is rejected, and with the current tag succeeds',
      async (method) => {
        const body = method === 'DELETE' ? undefined : JSON.stringify({ product_name: 'Pears' });
        const write = (tag: string) =>
          catalogue.fetch('/products/7', { method, body: body ?? null, headers: { 'if-match': tag } });
        await expectRefusal(await write('"0"'), 412, 'CAT412');
        await expectUntouched(catalogue);
        expect((await write(await tagOf('/products/7'))).status).toBe(204);
        expect((await catalogue.list('/products?id=eq.7'))[0]?.product_name).toBe(
          method === 'DELETE' ? undefined : 'Pears',
        );
      },
    );

    test('* requires only that the product exists', async () => {
      expect((await patch('/products/7', { unit_price: 28 }, { 'if-match': '*' })).status).toBe(204);
      await expectRefusal(await patch('/products/700', { unit_price: 28 }, { 'if-match': '*' }), 412, 'CAT412');
    });

    test('one of several tags is enough; a weak tag is not', async () => {
      const tag = await tagOf('/products/7');
      await expectRefusal(await patch('/products/7', { unit_price: 1 }, { 'if-match': `W/${tag}` }), 412, 'CAT412');
      expect((await patch('/products/7', { unit_price: 2 }, { 'if-match': `"old", ${tag}` })).status).toBe(204);
    });

    test.each([
      ['select', '/products/7?select=id', 'application/json'],
      ['CSV', '/products/7', 'text/csv'],
      ['an object without nulls', '/products/7', 'application/vnd.pgrst.object+json;nulls=stripped'],
      ['ndjson', '/products/7', 'application/x-ndjson'],
    ])('the tag of a view of the product (%s) identifies the same version', async (_, path, accept) => {
      const seen = await tagOf(path, { accept });
      expect((await patch('/products/7', { unit_price: 5 }, { 'if-match': seen })).status).toBe(204);
      await expectRefusal(await patch('/products/7', { unit_price: 6 }, { 'if-match': seen }), 412, 'CAT412');
    });

    test('the tag of a list does not match a product', async () => {
      const seen = await tagOf('/products?id=eq.7');
      await expectRefusal(await patch('/products/7', { unit_price: 5 }, { 'if-match': seen }), 412, 'CAT412');
    });

    describe('with an array of changes', () => {
      const CHANGES = [
        { id: 1, unit_price: 20 },
        { id: 2, unit_price: 21 },
      ];
      const seen = (chang: number) =>
        `/products?or=(and(id.eq.1,unit_price.eq.18),and(id.in.(2,3),unit_price.in.(${chang},10)))`;
      const ANY = { 'if-match': '*' };

      test('succeeds if every product matches the filter', async () => {
        const answer = await patch(seen(19), CHANGES, { ...ANY, prefer: 'return=representation, count=exact' });
        expect(answer.status).toBe(200);
        expect(await answer.json()).toEqual([
          { ...reference(1), unit_price: 20 },
          { ...reference(2), unit_price: 21 },
        ]);
        expect((await patch(seen(19), CHANGES, ANY)).status).toBe(412);
      });

      test.each([
        ['of which one has been changed', seen(18), CHANGES, 'row 2: id 2'],
        ['of which one is not named by the filter', seen(19), [...CHANGES, { id: 4, unit_price: 1 }], 'row 3: id 4'],
        ['of which one is gone', '/products?id=gt.0', [...CHANGES, { id: 400, unit_price: 1 }], 'row 3: id 400'],
        ['that changes nothing of one that is not so', seen(18), [{ id: 2 }], 'row 1: id 2'],
      ])('an array %s is rejected, and nothing is changed', async (_, path, changes, row) => {
        const { details } = await expectRefusal(await patch(path, changes, ANY), 412, 'CAT412');
        expect(details).toBe(`${row} does not match, or does not exist; nothing was changed`);
        await expectUntouched(catalogue);
      });

      test('exactly one of ten concurrent requests succeeds', async () => {
        const answers = await Promise.all(
          Array.from({ length: 10 }, (_, index) =>
            patch(seen(19), [...CHANGES, { id: 3, unit_price: 30 + index }], ANY),
          ),
        );
        expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(9).fill(412)]);
      });

      test('a retry with its Idempotency-Key is applied once; without the condition it is a different request', async () => {
        const headers = { ...ANY, 'idempotency-key': 'raise' };
        expect((await patch(seen(19), CHANGES, headers)).status).toBe(204);
        const again = await patch(seen(19), CHANGES, headers);
        expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([204, 'true']);
        await expectRefusal(await patch(seen(19), CHANGES, { 'idempotency-key': 'raise' }), 422, 'CAT422');
      });

      test('the filter may use any condition of the dialect, including full-text search', async () => {
        const path = '/products?product_name=imatch.^cha&quantity_per_unit=fts.boxes';
        expect((await patch(path, [{ id: 1, unit_price: 5 }], ANY)).status).toBe(204);
        await expectRefusal(await patch(path, CHANGES, ANY), 412, 'CAT412');
        await expectRefusal(await patch('/products?price=eq.1', CHANGES, ANY), 400, '42703');
      });
    });

    test('on the collection URL it is rejected, and the error names the product URL', async () => {
      const tag = await tagOf('/products/7');
      for (const condition of [tag, '*']) {
        const { hint } = await expectRefusal(
          await patch('/products?id=eq.7', { unit_price: 5 }, { 'if-match': condition }),
          412,
          'CAT412',
        );
        expect(hint).toContain('/products/<id>');
      }
      await expectUntouched(catalogue);
    });
  });
});
