/** Aliases: a column has the name that the client chooses, in every kind of response. */
import { describe, expect, test } from 'bun:test';
import type { Row } from '../../../src/collection/value.ts';
import { ENGINES } from '../../support/engines/catalogue.ts';
import { ownCatalogue, reference, send, sendJson, TEN_FIELDS } from '../../support/stories.ts';

/** A name over the PostgreSQL limit of 63 bytes: PostgreSQL truncates both aliases to the same name. */
const LONG = 'a name that is longer than any name may be in the database below';
const [one, other] = [`${LONG} 1`, `${LONG} 2`];
const WIDE = '名'.repeat(30);

const NAMES: readonly (readonly [id: string, name: string])[] = [
  [one, other],
  [`${WIDE}1`, `${WIDE}2`],
  ['__proto__', 'constructor'],
  ['column 1', LONG],
  ['here', 'total'],
  ['is new', 'rows'],
  ['id', 'has row'],
  ['has row', 'total count'],
  ['bytes so far', 'row number'],
  ['page key', 'key 0'],
  ['row', 'cell 0'],
  ['returned rows', 'changed rows'],
];

describe.each(Object.keys(ENGINES))('aliases on %s', (engine) => {
  const catalogue = ownCatalogue(engine);
  const quoted = (name: string) => encodeURIComponent(`"${name}"`);
  const counted = { headers: { prefer: 'count=exact' } };

  describe.each(NAMES)('the aliases %s and %s', (id, name) => {
    const select = `select=${quoted(id)}:id,${quoted(name)}:product_name`;
    const shown = ({ id: key, product_name }: Row) =>
      `{${JSON.stringify(id)}:${key},${JSON.stringify(name)}:${JSON.stringify(product_name)}}`;
    const text = async (path: string, init?: RequestInit) => (await catalogue.fetch(path, init)).text();

    test('appear in a list, a counted page, one product and CSV', async () => {
      const list = `[${[reference(1), reference(2)].map(shown).join()}]`;
      expect(await text(`/products?${select}&limit=2`)).toBe(list);
      expect(await text(`/products?${select}&limit=2`, counted)).toBe(list);
      expect(await text(`/products?${select}&id=lt.3`, counted)).toBe(list);
      expect(await text(`/products/1?${select}`)).toBe(shown(reference(1)));
      const csv = await text(`/products?${select}&id=eq.2`, { headers: { accept: 'text/csv' } });
      expect(csv).toBe(`${id},${name}\n2,Chang\n`);
    });

    test('do not break the link to the next page', async () => {
      const link = (await catalogue.fetch(`/products?${select}&limit=2`)).headers.get('link');
      expect(link).toContain('after=(id.gt.2)>; rel="next"');
    });

    test('name the columns of groups', async () => {
      const groups = `select=${quoted(id)}:discontinued,${quoted(name)}:id.count()&order=discontinued`;
      const rows = JSON.stringify(
        await catalogue.list('/products?select=a:discontinued,b:id.count()&order=discontinued'),
      );
      const renamed = rows.replaceAll('"a"', JSON.stringify(id)).replaceAll('"b"', JSON.stringify(name));
      expect(await text(`/products?${groups}`)).toBe(renamed);
      expect(await text(`/products?${groups}&limit=2`, counted)).toBe(renamed);
    });

    test('name the columns of written rows', async () => {
      const back = { prefer: 'return=representation' };
      const tea = { ...TEN_FIELDS, product_name: 'Tea' };
      expect(await text(`/products?${select}`, sendJson('POST', TEN_FIELDS, back))).toBe(`[${shown(TEN_FIELDS)}]`);
      const changed = sendJson('PATCH', { product_name: 'Tea' }, back);
      expect(await text(`/products?id=eq.1001&${select}`, changed)).toBe(`[${shown(tea)}]`);
      const each = sendJson('PATCH', [{ id: 1001, product_name: 'Tea' }], back);
      expect(await text(`/products?${select}`, each)).toBe(`[${shown(tea)}]`);
      const removed = { method: 'DELETE', headers: back };
      expect(await text(`/products?id=eq.1001&${select}`, removed)).toBe(`[${shown(tea)}]`);
    });
  });

  test('aliases longer than the database allows work in a streamed result', async () => {
    const rows = Array.from({ length: 3_000 }, (_, index) => `${5000 + index},Tea`);
    const csv = ['id,product_name', ...rows].join('\n');
    expect((await catalogue.fetch('/products', send('POST', 'text/csv', csv))).status).toBe(201);
    const path = `/products?select=${quoted(one)}:id,${quoted(other)}:product_name&id=gte.5000`;
    const found = await catalogue.list(path);
    expect(found).toHaveLength(3_000);
    expect(found.at(-1)).toEqual({ [one]: 7999, [other]: 'Tea' });
  });
});
