/** Stored views and presence: rows of one person. Others see what is shared, if they may read the rows. */
import { afterAll, beforeAll, describe, expect, setSystemTime, test } from 'bun:test';
import type { Caller } from '../../../src/collection/access/caller.ts';
import { adoptedSchema } from '../../support/engines/adopted.ts';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { declaredBy, openRoled, type Roled } from '../../support/engines/roles.ts';
import { expectRefusal, ownCatalogue, sendJson } from '../../support/stories.ts';

const SHOP = declaredBy(`
collections:
  goods: { fields: { id: int4, name: text } }
  salaries: { fields: { id: int4, amount: int4 } }
roles:
  admin: all
  anonymous: { goods: { read: true } }
  clerk: { goods: { read: true }, salaries: { read: true }, changes: { read: true } }
  visitor: { goods: { read: { where: 'name=eq.tea' } } }
`);

/** `X-Role: clerk`, `X-Claims: {"sub":"ann"}` is the user ann. */
function identify({ headers }: Pick<Request, 'headers'>): Caller {
  const role = headers.get('x-role') ?? 'anonymous';
  const { sub: name, kind = 'user' } = JSON.parse(headers.get('x-claims') ?? '{}');
  return name === undefined ? { role, claims: {} } : { role, claims: {}, name, identity: `${kind} ${name}` };
}

const DEFINITION = { query: 'name=eq.tea', columns: { hidden: ['id'] } };
const view = (name: string, more: object = {}) => ({ collection: 'goods', name, definition: DEFINITION, ...more });
const returned = { prefer: 'return=representation' };

for (const engine of TWO_ENGINES) {
  describe(engine, () => {
    let shop: Roled;
    beforeAll(async () => {
      shop = await openRoled(engine, SHOP, {}, { identify });
    });
    afterAll(() => shop.close());

    const as = (role: string, sub?: string, kind = 'user') => shop.as(role, sub === undefined ? {} : { sub, kind });
    const store = (who: ReturnType<typeof as>, row: object) =>
      who.fetch('/catalogue/views', sendJson('POST', row, returned));
    const idOf = async (response: Response) => {
      expect(response.status).toBe(201);
      return ((await response.json()) as { id: string }[])[0]!.id;
    };
    const names = async (who: ReturnType<typeof as>, path = '/views?order=name') =>
      (await who.list(path)).map(({ name }) => name);

    test('a person stores, changes and deletes views; others see only shared ones', async () => {
      const [ann, ben] = [as('clerk', 'ann'), as('clerk', 'ben')];
      expect(await ann.list('/catalogue/views')).toEqual([]);
      await expectRefusal(await ann.fetch('/views/0b0e8a6e-0000-4000-8000-000000000000'), 404, 'CAT404');
      // The table does not exist yet, which a request cannot notice.
      await expectRefusal(await ann.fetch('/views?colour=eq.red'), 400, '42703');
      const one = { accept: 'application/vnd.pgrst.object+json' };
      await expectRefusal(await ann.fetch('/views', { headers: one }), 406, 'PGRST116');
      const counted = await ann.fetch('/views?select=id,name', {
        headers: { accept: 'text/csv', prefer: 'count=exact' },
      });
      expect([counted.headers.get('content-range'), await counted.text()]).toEqual(['*/0', 'id,name\n']);
      const own = await store(ann, view('mine'));
      expect(own.headers.get('location')).toStartWith('/catalogue/views?id=eq.');
      const id = await idOf(own);
      const shared = await idOf(await store(ann, view('ours', { shared: true })));
      expect(await ann.list('/views?name=eq.mine&select=collection,owner,shared,definition')).toEqual([
        { collection: 'goods', owner: 'user ann', shared: false, definition: DEFINITION },
      ] as never);
      // Twice: nothing of one person's answer is kept for another of the same role.
      for (const _time of [1, 2]) {
        expect(await names(ann)).toEqual(['mine', 'ours']);
        expect(await names(ben)).toEqual(['ours']);
        expect(await names(as('clerk', 'ann', 'key'))).toEqual(['ours']);
        expect(await names(as('anonymous'))).toEqual(['ours']);
      }
      expect(await ben.list('/views?select=count()')).toEqual([{ count: 1 }]);
      await expectRefusal(await ben.fetch(`/views/${id}`), 404, 'CAT404');
      for (const each of [id, shared]) {
        await expectRefusal(await ben.fetch(`/views/${each}`, sendJson('PATCH', { name: 'x' })), 404, 'CAT404');
        expect((await ben.fetch(`/views/${each}`, { method: 'DELETE' })).status).toBe(404);
        const merge = sendJson('POST', view('x', { id: each }), { prefer: 'resolution=merge-duplicates' });
        await expectRefusal(await ben.fetch('/views', merge), 403, '42501');
      }
      expect((await ann.fetch(`/views/${id}`, sendJson('PATCH', { name: 'my own' }))).status).toBe(204);
      expect(await names(ann)).toEqual(['my own', 'ours']);
      expect((await as('admin', 'eve').fetch(`/views/${shared}`, { method: 'DELETE' })).status).toBe(204);
      expect(await names(as('admin', 'eve'))).toEqual([]);
      expect((await ann.fetch('/views?name=eq.my own', { method: 'DELETE' })).status).toBe(204);
    });

    test('a view of rows that a role may not read is invisible to it, and cannot be stored by it', async () => {
      const pay = view('pay', { collection: 'salaries', shared: true });
      const id = await idOf(await store(as('clerk', 'ann'), pay));
      expect(await names(as('clerk', 'ben'))).toEqual(['pay']);
      expect(await names(as('visitor', 'vic'))).toEqual([]);
      const hidden = await expectRefusal(await store(as('visitor', 'vic'), pay), 400, '23514');
      const missing = await expectRefusal(
        await store(as('visitor', 'vic'), { ...pay, collection: 'secrets' }),
        400,
        '23514',
      );
      expect(JSON.stringify(hidden).replaceAll('salaries', 'secrets')).toBe(JSON.stringify(missing));
      await as('clerk', 'ann').fetch(`/views/${id}`, { method: 'DELETE' });
    });

    test('presence names who edits a row, to people who may read it, until a page stops sending', async () => {
      const [ann, ben] = [as('clerk', 'ann'), as('clerk', 'ben')];
      const id = '0b0e8a6e-0000-4000-8000-000000000001';
      const beat = (who: ReturnType<typeof as>, key: string) =>
        who.fetch(
          '/catalogue/presence',
          sendJson('POST', { id, collection: 'goods', key }, { prefer: 'resolution=merge-duplicates' }),
        );
      const seenBy = (who: ReturnType<typeof as>) => who.list('/catalogue/presence?select=collection,key,owner');
      const editing = (key: string, owner = 'user ann') => [{ collection: 'goods', key, owner }];
      expect((await beat(ann, '1')).status).toBe(201);
      expect((await beat(ann, '2')).status).toBe(200);
      expect(await seenBy(ben)).toEqual(editing('2'));
      expect(await seenBy(as('visitor', 'vic'))).toEqual([]);
      await expectRefusal(await beat(ben, '3'), 403, '42501');
      await expectRefusal(await beat(as('anonymous'), '3'), 401, '42501');
      expect((await ben.fetch(`/presence/${id}`, { method: 'DELETE' })).status).toBe(404);
      // A person who reads only some rows is shown to others, and sees only own rows.
      expect((await ann.fetch(`/presence/${id}`, { method: 'DELETE' })).status).toBe(204);
      for (const _time of [1, 2]) expect((await beat(as('visitor', 'vic'), '7')).ok).toBe(true);
      expect(await seenBy(as('visitor', 'vic'))).toEqual(editing('7', 'user vic'));
      expect(await seenBy(ann)).toEqual(editing('7', 'user vic'));
      try {
        setSystemTime(new Date(Date.now() + 41_000));
        expect(await seenBy(ann)).toEqual([]);
        expect((await beat(ann, '9')).status).toBe(201);
        expect(await seenBy(ben)).toEqual(editing('9'));
      } finally {
        setSystemTime();
      }
      expect(await ann.list('/changes?collection=like.catalogue*')).toEqual([]);
    });

    test('the service sets the owner, and rejects input that is wrong or too large', async () => {
      const ann = as('clerk', 'ann');
      await expectRefusal(await store(ann, view('x', { owner: 'user ben' })), 400, '428C9');
      await expectRefusal(await store(ann, { collection: 'goods', name: 'x' }), 400, '23502');
      await expectRefusal(await store(ann, view('x'.repeat(81))), 400, '23514');
      await expectRefusal(await store(ann, view('x', { definition: 'y'.repeat(33_000) })), 400, '54000');
      await expectRefusal(await store(ann, view('x', { definition: 'y'.repeat(66_000) })), 413, 'CAT413');
      await expectRefusal(await ann.fetch('/views?colour=eq.red'), 400, '42703');
      await expectRefusal(await store(as('anonymous'), view('x')), 401, '42501');
      const earlier = { headers: { prefer: 'as-of=2020-01-01' } };
      await expectRefusal(await ann.fetch('/views', earlier), 501, 'CAT501');
      expect(await names(ann)).toEqual([]);
      const many = Array.from({ length: 500 }, (_, index) => ({
        collection: 'goods',
        name: `${index}`,
        definition: 1,
      }));
      expect((await store(ann, many)).status).toBe(201);
      expect((await expectRefusal(await store(ann, view('x')), 400, '54000')).hint).toContain('Delete');
      const id = '0b0e8a6e-0000-4000-8000-000000000002';
      const replaced = await ann.fetch(`/views?id=eq.${id}`, sendJson('PUT', view('x', { id })));
      await expectRefusal(replaced, 400, '54000');
      expect((await store(as('clerk', 'ben'), view('x'))).status).toBe(201);
    });
  });

  describe(`${engine} without roles`, () => {
    const catalogue = ownCatalogue(engine);

    test('everybody is the same person, and the catalogue has no further collection', async () => {
      const row = { collection: 'products', name: 'cheap', definition: {} };
      // A read of the same moment sees the database before the first view makes the table.
      const [, stored] = await Promise.all([
        catalogue.list('/catalogue/views'),
        catalogue.fetch('/catalogue/views', sendJson('POST', row)),
      ]);
      expect(stored.status).toBe(201);
      expect(await catalogue.list('/catalogue/views?select=name,owner')).toEqual([{ name: 'cheap', owner: null }]);
      expect((await catalogue.fetch('/catalogue_views')).status).toBe(404);
      expect(await catalogue.list('/changes?collection=neq.products')).toEqual([]);
    });
  });
}

describe('an adopted database with a table of this name', () => {
  const adopted = adoptedSchema('create table views (id int primary key, title text)');

  test('keeps its table, and stores views below /catalogue', async () => {
    const row = { collection: 'views', name: 'all', definition: {} };
    expect((await adopted.fetch('/catalogue/views', sendJson('POST', row))).status).toBe(201);
    expect(await adopted.list('/catalogue/views?select=name')).toEqual([{ name: 'all' }]);
    expect(await adopted.list('/views')).toEqual([]);
  });
});
