/** Collections and fields may have names that SQL or the generated statements use for something else. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import { type Catalogue, TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { openDeclared } from '../../support/engines/shop.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const NAMES = ['given', 'before', 'changed', 'shaped', 'listed', 'table', 'user', 'new', 'constructor'];
const CATALOGUE = declareCatalogue({
  collections: [
    ...NAMES.map((name) => ({
      name,
      key: ['id'],
      fields: [
        { name: 'id', type: 'int4' },
        ...NAMES.map((field) => ({ name: field, type: 'text' })),
        { name: 'parent', type: 'int4', references: { collection: name, onDelete: 'cascade' as const } },
      ],
    })),
    { name: 'keyed', key: ['constructor'], fields: [{ name: 'constructor', type: 'text' }] },
  ],
});

describe.each(TWO_ENGINES)('unusual names on %s', (engine) => {
  let odd: Catalogue;
  beforeAll(async () => {
    odd = await openDeclared(engine, CATALOGUE, { listed: [{ id: 7, given: 'first' }] });
  });
  afterAll(() => odd.close());

  test.each(NAMES)('a collection and a field named %s are written and read like any other', async (name) => {
    const merge = (rows: unknown) =>
      odd.fetch(`/${name}`, sendJson('POST', rows, { prefer: 'resolution=merge-duplicates' }));
    expect((await merge([{ id: 1, [name]: 'a' }])).status).toBe(201);
    expect((await merge([{ id: 1, [name]: 'b' }])).status).toBe(200);
    expect((await merge([{ id: 2, parent: 1 }])).status).toBe(201);
    const each = await odd.fetch(
      `/${name}?select=id,${name},parent(${name})`,
      sendJson('PATCH', [{ id: 2, [name]: 'c' }], { prefer: 'return=representation' }),
    );
    expect(await each.json()).toEqual([{ id: 2, [name]: 'c', parent: { [name]: 'b' } }]);
    const one = await odd.fetch(
      `/${name}?id=eq.2&select=${name},parent(${name})`,
      sendJson('PATCH', { [name]: 'd' }, { prefer: 'return=representation' }),
    );
    expect(await one.json()).toEqual([{ [name]: 'd', parent: { [name]: 'b' } }]);
    expect((await odd.fetch(`/${name}/1`, { method: 'DELETE' })).status).toBe(204);
    expect(await odd.list(`/${name}?select=id&id=lt.7`)).toEqual([]);
  });

  test.each(['"the shaped"', '"the changed"', '"the place"', '"is new"'])(
    'a column can have the alias %s',
    async (alias) => {
      const written = (init: RequestInit) => odd.fetch(`/table?id=eq.9&select=${alias}:id`, init);
      const shown = [{ [alias.slice(1, -1)]: 9 }];
      const returned = { prefer: 'return=representation' };
      expect(await (await written(sendJson('POST', { id: 9 }, returned))).json()).toEqual(shown);
      expect(await (await written(sendJson('PATCH', { user: 'a' }, returned))).json()).toEqual(shown);
      expect(await (await written({ method: 'DELETE', headers: returned })).json()).toEqual(shown);
    },
  );

  test('a missing key named constructor is reported', async () => {
    await expectRefusal(await odd.fetch('/keyed', sendJson('PATCH', [{}])), 400, '21000');
  });
});
