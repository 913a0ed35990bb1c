/** A role sees the changes of what it may read, and learns nothing from those of anything else. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Row } from '../../../src/collection/value.ts';
import { requestIds } from '../../../src/observe/request-id.ts';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { ROLE_SHOP, ROLE_SHOP_ROWS } from '../../support/engines/role-shop.ts';
import { openRoled, type Roled } from '../../support/engines/roles.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const COLUMNS = 'select=collection,key,kind,before,after';

/** Writes that look the same to a visitor: only `hidden` differs. */
type Write = (hidden: number) => { readonly path: string; readonly init: RequestInit };

const id = fc.constantFrom(1, 2, 3, 4, 5);
const write: fc.Arbitrary<Write> = fc.oneof(
  fc.tuple(id, fc.constantFrom(1, 2)).map(
    ([each, price]): Write =>
      (hidden) => ({
        path: `/products?id=eq.${each}`,
        init: sendJson('PATCH', { price, cost: hidden }),
      }),
  ),
  id.map(
    (each): Write =>
      (hidden) => ({ path: `/products?id=eq.${each}`, init: sendJson('PATCH', { stock: hidden }) }),
  ),
  fc.tuple(id, fc.constantFrom(0, 1)).map(
    ([each, discontinued]): Write =>
      () => ({
        path: `/products?id=eq.${each}`,
        init: sendJson('PATCH', { discontinued }),
      }),
  ),
  // Rows 3 and 5 are hidden at first, and may appear later: their names are the same.
  fc.constant<Write>((hidden) => ({
    path: '/categories?id=eq.2',
    init: sendJson('PATCH', { name: `secret ${hidden}` }),
  })),
  fc.constant<Write>((hidden) => ({
    path: '/suppliers?id=eq.3',
    init: sendJson('PATCH', { bank_account: `${hidden}` }),
  })),
);

const READS = [
  `/changes?select=seq,role,collection,key,kind,before,after`,
  `/changes?collection=eq.products&order=seq.desc&limit=3`.replace('?', '?select=seq,kind,before,after&'),
  '/changes?select=kind,count()&order=kind',
  '/changes?select=seq&after->>price=eq.2',
  '/changes?select=seq&before=is.null',
  '/changes?select=seq&collection=in.(suppliers,categories,products)&kind=neq.insert',
];

const numberIn = ({ name }: Row) => Number(String(name).slice(4));

for (const engine of TWO_ENGINES) {
  describe(engine, () => {
    const withShops = async (count: number, work: (shops: Roled[]) => Promise<void>) => {
      const shops = await Promise.all(
        Array.from({ length: count }, () =>
          openRoled(engine, ROLE_SHOP, ROLE_SHOP_ROWS, { requestIds: requestIds(false) }),
        ),
      );
      try {
        await work(shops);
      } finally {
        await Promise.all(shops.map((shop) => shop.close()));
      }
    };

    test('a visitor sees readable fields of readable rows', () =>
      withShops(1, async ([shop]) => {
        const [admin, visitor] = [shop!.as('admin'), shop!.as('anonymous')];
        const patch = (path: string, body: object) => admin.fetch(path, sendJson('PATCH', body));
        await patch('/products?id=eq.1', { price: 8, cost: 3 });
        await patch('/products?id=eq.1', { cost: 4 });
        await patch('/products?id=eq.3', { price: 9 });
        await patch('/products?id=eq.3', { discontinued: 0 });
        await patch('/products?id=eq.3', { discontinued: 1, name: 'gone' });
        await patch('/suppliers?id=eq.1', { name: 'Blatt' });
        const shown = { id: 3, name: 'Old tea', price: 9, category_id: 3 };
        expect(await visitor.list(`/changes?${COLUMNS}`)).toEqual([
          { collection: 'products', key: '1', kind: 'update', before: { price: 1 }, after: { price: 8 } },
          { collection: 'products', key: '3', kind: 'insert', before: null, after: shown },
          { collection: 'products', key: '3', kind: 'delete', before: shown, after: null },
        ] as unknown as Row[]);
        expect(
          await shop!.as('supplier', { supplier_id: 1 }).list(`/changes?${COLUMNS}&collection=eq.suppliers`),
        ).toEqual([
          { collection: 'suppliers', key: '1', kind: 'update', before: { name: 'Leaf' }, after: { name: 'Blatt' } },
        ] as unknown as Row[]);
        expect((await shop!.as('inbox').fetch('/changes')).status).toBe(403);
        const by = { 'x-request-id': 'mine', 'x-role': 'admin', 'x-claims': '{"sub":"Ada"}' };
        await shop!.fetch('/tags', sendJson('POST', { id: 9 }, by));
        expect(await admin.list('/changes?select=actor,role,request_id&collection=eq.tags')).toEqual([
          { actor: 'Ada', role: 'admin', request_id: 'mine' },
        ]);
        expect(await admin.list('/changes?select=seq')).toHaveLength(7);
      }));

    test('rows of requests at once have the origin of their own request, and one that fails affects no other', () =>
      withShops(1, async ([shop]) => {
        const admin = shop!.as('admin');
        const numbers = Array.from({ length: 12 }, (_, number) => number);
        const isValid = (number: number) => number % 5 !== 4;
        const answers = await Promise.all(
          numbers.map((number) => {
            const row = { name: `new ${number}`, category_id: isValid(number) ? 1 : 999 };
            return admin.fetch('/products', sendJson('POST', row, { 'x-request-id': `at-once-${number}` }));
          }),
        );
        expect(answers.map(({ status }) => status)).toEqual(numbers.map((number) => (isValid(number) ? 201 : 409)));
        const logged = await admin.list('/changes?select=request_id,name:after->>name&request_id=like.at-once*');
        const expected = numbers.filter(isValid).map((number) => {
          return { request_id: `at-once-${number}`, name: `new ${number}` };
        });
        expect(logged.toSorted((one, other) => numberIn(one) - numberIn(other))).toEqual(expected);
      }));

    test('a role whose rule leaves out the actor cannot read who wrote', () =>
      withShops(1, async ([shop]) => {
        const by = { 'x-role': 'admin', 'x-claims': '{"sub":"Ada"}' };
        await shop!.fetch('/products?id=eq.1', sendJson('PATCH', { price: 8 }, by));
        const visitor = shop!.as('anonymous');
        const [change] = await visitor.list('/changes');
        expect(Object.keys(change!)).toEqual([
          ...['seq', 'at', 'role', 'request_id', 'collection', 'key', 'kind', 'before', 'after'],
        ]);
        expect(await visitor.text(`/changes/${change!.seq}`)).not.toContain('actor');
        for (const query of [
          'select=actor',
          'select=actor,count()',
          'actor=eq.Ada',
          'order=actor',
          'or=(actor.eq.Ada)',
        ]) {
          await expectRefusal(await visitor.fetch(`/changes?${query}`), 401, '42501');
        }
        const undo = shop!.as('supplier', { supplier_id: 1 }).fetch('/changes/undo?actor=eq.Ada', { method: 'POST' });
        await expectRefusal(await undo, 403, '42501');
        expect(await shop!.as('admin').list('/changes?select=actor&actor=eq.Ada')).toEqual([{ actor: 'Ada' }]);
      }));

    test('hidden values change no byte of the log that a visitor reads', () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(write, fc.constantFrom(1, 2, 3)), { minLength: 8, maxLength: 20 }),
          (writes) =>
            withShops(2, async (shops) => {
              for (const [each, hidden] of writes) {
                for (const [index, shop] of shops.entries()) {
                  const { path, init } = each(index === 0 ? hidden : 2);
                  expect((await shop.as('admin').fetch(path, init)).status).toBe(204);
                }
              }
              for (const path of READS) {
                const [one, other] = await Promise.all(shops.map((shop) => shop.as('anonymous').text(path)));
                expect(other).toBe(one!);
                expect(one).not.toContain('"code"');
              }
            }),
        ),
        { numRuns: 3 },
      ));
  });
}
