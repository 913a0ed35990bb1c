/** Collections with the maximum number of fields: they support the same requests as narrow ones. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { MAX_FIELDS } from '../../../src/base/limits/declaration.ts';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import type { Row } from '../../../src/collection/value.ts';
import { type Catalogue, TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { openDeclared } from '../../support/engines/shop.ts';
import { sendJson } from '../../support/stories.ts';

const COUNT = MAX_FIELDS - 2;

function wide(name: string, type: string) {
  const fields = Array.from({ length: COUNT }, (_, index) => ({ name: `f${index}`, type }));
  return {
    name,
    key: ['id'],
    fields: [
      { name: 'id', type: 'int4' },
      { name: 'near', type: 'int4', references: { collection: 'numbers', onDelete: 'restrict' as const } },
      ...fields,
    ],
  };
}

const CATALOGUE = declareCatalogue({
  collections: [wide('numbers', 'int4'), wide('texts', 'text'), wide('documents', 'json')],
});
const BACK = { prefer: 'return=representation' };
const last = `f${COUNT - 1}`;
const ROWS = {
  numbers: [{ id: 1, f0: 7, [last]: 9 }],
  texts: [{ id: 1, near: 1, f0: 'first', [last]: 'last' }],
  documents: [{ id: 1, near: 1, f0: { a: 1 }, [last]: [true] } as unknown as Row],
};

describe.each(TWO_ENGINES)('a wide collection on %s', (engine) => {
  let catalogue: Catalogue;
  beforeAll(async () => {
    catalogue = await openDeclared(engine, CATALOGUE, ROWS);
  });
  afterAll(() => catalogue.close());

  test.each([
    ['numbers', 7, 9],
    ['texts', 'first', 'last'],
    ['documents', { a: 1 }, [true]],
  ])('%s can be read as a list, by id, embedded and as CSV', async (name, first, end) => {
    const [row] = (await catalogue.list(`/${name}`)) as unknown as [Record<string, unknown>];
    expect([Object.keys(row).length, row.f0, row[last], row.f1]).toEqual([MAX_FIELDS, first, end, null]);
    expect(((await (await catalogue.fetch(`/${name}/1`)).json()) as Row)[last]).toEqual(end as string);
    expect(await (await catalogue.fetch(`/${name}`, { headers: { accept: 'text/csv' } })).text()).toContain(last);
    if (name === 'numbers') return;
    const [within] = (await catalogue.list(`/${name}?select=id,numbers(*)`)) as unknown as [typeof ROWS];
    expect(within.numbers).toMatchObject(ROWS.numbers[0]!);
  });

  test('its rows can be written and are returned unchanged', async () => {
    const own = await catalogue.fetch(
      '/numbers?select=id,near(*)',
      sendJson('POST', { id: 2, near: 2, [last]: 5 }, BACK),
    );
    expect(await own.json()).toMatchObject([{ id: 2, near: { id: 2, [last]: 5 } }]);
    const response = await catalogue.fetch('/documents/1', sendJson('PATCH', { f5: [1, 2] }, BACK));
    expect(response.status).toBe(200);
    const [written] = (await response.json()) as [Record<string, unknown>];
    expect([written.f5, written[last]]).toEqual([[1, 2], [true]]);
    const added = await catalogue.fetch('/texts', sendJson('POST', { [last]: 'x' }, BACK));
    expect([added.status, ((await added.json()) as [Record<string, unknown>])[0][last]]).toEqual([201, 'x']);
  });
});
