/**
 * Long bodies: the service parses and plans them in chunks, and serves other requests in between. A body over a limit
 * is rejected and changes nothing.
 */
import { describe, expect, test } from 'bun:test';
import { ROWS_PER_SLICE, slicesRun } from '../../../src/base/cooperative.ts';
import { MAX_BODY_ROWS, SHORT_BODY_BYTES } from '../../../src/base/limits/http.ts';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { expectRefusal, expectUntouched, ids, ownCatalogue, reference, send, sendJson } from '../../support/stories.ts';

const COUNT = 4_000;
const product = (index: number) => ({
  id: 1_000 + index,
  product_name: `Jar ${index} of sea buckthorn jam`,
  units_in_stock: index,
});
const rows = Array.from({ length: COUNT }, (_, index) => product(index));
const csvOf = (list: readonly object[]) =>
  `${Object.keys(list[0]!).join()}\n${list.map((row) => Object.values(row).join()).join('\n')}\n`;

describe.each(TWO_ENGINES)('long bodies on %s', (engine) => {
  const catalogue = ownCatalogue(engine);

  test.each([
    ['JSON', sendJson('POST', rows)],
    ['CSV', send('POST', 'text/csv', csvOf(rows))],
    ['upserts', sendJson('POST', rows, { prefer: 'resolution=merge-duplicates' })],
  ])('a long %s body is stored completely in chunks, and other requests are answered meanwhile', async (_, init) => {
    expect(String(init.body).length).toBeGreaterThan(2 * SHORT_BODY_BYTES);
    const before = slicesRun();
    let isOver = false;
    const posted = catalogue.fetch('/products', init).finally(() => {
      isOver = true;
    });
    let answered = 0;
    while (!isOver && answered < 200) {
      expect((await catalogue.fetch('/products/1')).status).toBe(200);
      answered++;
      await new Promise(setImmediate);
    }
    expect((await posted).status).toBe(201);
    expect(slicesRun() - before).toBeGreaterThan(COUNT / ROWS_PER_SLICE);
    expect(answered).toBeGreaterThan(COUNT / ROWS_PER_SLICE);
    expect(ids(await catalogue.list('/products?id=gte.1000'))).toEqual(rows.map(({ id }) => id));
    expect(await catalogue.list('/products?id=eq.4999&select=id,product_name,units_in_stock')).toEqual([rows.at(-1)!]);
  });

  test('a bulk update changes every row in its body', async () => {
    await catalogue.fetch('/products', sendJson('POST', rows));
    const changes = rows.map(({ id }) => ({ id, reorder_level: id % 1_000, units_on_order: 7 }));
    expect((await catalogue.fetch('/products', sendJson('PATCH', changes))).status).toBe(204);
    const changed = await catalogue.list('/products?id=gte.1000&select=id,reorder_level,units_on_order');
    expect(Bun.deepEquals(changed, changes)).toBe(true);
  });

  test('the error for an invalid row far down names that row, and nothing is stored', async () => {
    const at = COUNT - 10;
    const spoilt = rows.map((row, index) => (index === at ? { ...row, units_in_stock: 'many' } : row));
    for (const init of [sendJson('POST', spoilt), send('POST', 'text/csv', csvOf(spoilt))]) {
      const { details } = await expectRefusal(await catalogue.fetch('/products', init), 400, '22P02');
      expect(details).toStartWith(`row ${at + 1}, field units_in_stock`);
    }
    const taken = [...rows.slice(1), { ...product(0), id: 1 }];
    const { details } = await expectRefusal(await catalogue.fetch('/products', sendJson('POST', taken)), 409, '23505');
    expect(details).toContain('(1)');
    const twice = [...rows, product(5)];
    const merge = sendJson('POST', twice, { prefer: 'resolution=merge-duplicates' });
    await expectRefusal(await catalogue.fetch('/products', merge), 400, '21000');
    await expectUntouched(catalogue);
  });

  test('more rows than a body may contain: 400, as JSON, CSV and a bulk update', async () => {
    for (const init of [
      send('POST', 'application/json', `[${'{"product_name":"a"},'.repeat(MAX_BODY_ROWS)}{"product_name":"a"}]`),
      send('POST', 'text/csv', `product_name\n${'a\n'.repeat(MAX_BODY_ROWS + 1)}`),
      send('PATCH', 'application/json', `[${'{"id":1},'.repeat(MAX_BODY_ROWS)}{"id":2}]`),
    ]) {
      const { message, hint } = await expectRefusal(await catalogue.fetch('/products', init), 400, '54000');
      expect(message).toContain(String(MAX_BODY_ROWS));
      expect(hint).toContain('import');
    }
    await expectUntouched(catalogue);
    expect(await catalogue.list('/products?id=eq.1')).toEqual([reference(1)]);
  });
});
