/** Rows returned by a write: up to a size limit all are sent. Over it the write is rejected and changes nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DEFAULT_MAX_VALUE_KB } from '../../../src/base/limits/declaration.ts';
import { MAX_RETURNED_BYTES, MAX_ROW_BYTES } from '../../../src/base/limits/engine.ts';
import { type Catalogue, openCatalogue, TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { expectRefusal, ids, sendJson } from '../../support/stories.ts';

const LONG = 'x'.repeat(DEFAULT_MAX_VALUE_KB * 1024);
const COUNT = MAX_RETURNED_BYTES / LONG.length + 1;
const numbers = Array.from({ length: COUNT }, (_, index) => 500 + index);
const WITH_ROWS = { prefer: 'return=representation' };

describe.each(TWO_ENGINES)('rows returned by a write on %s', (engine) => {
  let catalogue: Catalogue;
  const changes = numbers.map((id) => ({ id, reorder_level: 9 }));

  beforeAll(async () => {
    catalogue = await openCatalogue(engine);
    for (let from = 0; from < COUNT; from += 11) {
      // With a second text, a row is too long for the search index, which would take most of the time.
      const some = numbers.slice(from, from + 11).map((id) => ({ id, product_name: LONG, quantity_per_unit: 'x' }));
      expect((await catalogue.fetch('/products', sendJson('POST', some))).status).toBe(201);
    }
  });
  afterAll(() => catalogue.close());

  test('are limited in total length; over the limit nothing is changed', async () => {
    const aliases = Array.from({ length: COUNT }, (_, index) => `a${index}:product_name`).join();
    for (const [path, init] of [
      ['/products?id=gte.500', sendJson('PATCH', { reorder_level: 9 }, WITH_ROWS)],
      [
        '/products?id=gte.500&select=id',
        sendJson('PATCH', { reorder_level: 9 }, { prefer: `${WITH_ROWS.prefer}, tx=rollback` }),
      ],
      ['/products', sendJson('PATCH', changes, WITH_ROWS)],
      ['/products?id=gte.500', { method: 'DELETE', headers: WITH_ROWS }],
      [`/products?id=eq.500&select=${aliases}`, sendJson('PATCH', { reorder_level: 9 }, WITH_ROWS)],
    ] as const) {
      const answer = await catalogue.fetch(path, init);
      // With few selected columns, PostgreSQL returns only these, which stay below the limit.
      if (path.endsWith('select=id') && engine === 'PostgreSQL') {
        expect(ids((await answer.json()) as { id: number }[])).toEqual(numbers);
        continue;
      }
      const { message, hint } = await expectRefusal(answer, 400, '54000');
      expect(message).toMatch(new RegExp(`(write|row).*(${MAX_RETURNED_BYTES}|${MAX_ROW_BYTES})`));
      expect(hint).toMatch(/return=minimal|fewer/);
    }
    expect(ids(await catalogue.list('/products?id=gte.500&reorder_level=is.null&select=id'))).toEqual(numbers);
  });

  test('are all sent up to the limit, and a write without them has no limit', async () => {
    const few = await catalogue.fetch(
      '/products?id=lt.510&id=gte.500',
      sendJson('PATCH', { reorder_level: 9 }, WITH_ROWS),
    );
    const shown = (await few.json()) as { id: number; product_name: string }[];
    expect([ids(shown), shown.every(({ product_name: name }) => name === LONG)]).toEqual([numbers.slice(0, 10), true]);
    expect((await catalogue.fetch('/products', sendJson('PATCH', changes))).status).toBe(204);
    expect((await catalogue.fetch('/products?id=gte.500', { method: 'DELETE' })).status).toBe(204);
    expect(await catalogue.list('/products?id=gte.500')).toEqual([]);
  });
});
