/** References of several fields to a key of several fields: enforced, embedded in both directions, migrated. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Collection, declareCatalogue } from '../../../src/collection/declaration.ts';
import { parseDeclaration } from '../../../src/declare/read.ts';
import { printCollection } from '../../../src/declare/writer/write.ts';
import type { StoredRow } from '../../../src/plan/write-plan.ts';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { type Opened, PLACES, type Place, refusalOf } from '../../support/engines/declared.ts';
import { mistakesIn } from '../../support/processes/declarations.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const YAML = `collections:
  order_lines:
    key: [order_id, line]
    fields: { order_id: int4, line: int4, article: text, parent_order: int4, parent_line: int4 }
    references:
      - { fields: [parent_order, parent_line], collection: order_lines, constraint: parent, onDelete: set null }
  deliveries:
    references:
      - { fields: [line, order_id], to: [line, order_id], collection: order_lines, onDelete: cascade }
      - { fields: [from_order, from_line], collection: order_lines, constraint: origin }
    fields: { id: int4, order_id: int4, line: int4, from_order: int4, from_line: int4, day: text }
  tags: { fields: { id: int4, tag: text } }
  line_tags:
    key: [order_id, line, tag_id]
    references: [{ fields: [order_id, line], collection: order_lines }]
    fields: { order_id: int4, line: int4, tag_id: { type: int4, references: tags } }
`;

const { collections } = await parseDeclaration(YAML, 'collections.yaml');

async function* batchOf({ fields }: Collection, rows: readonly StoredRow[]) {
  yield { positions: rows.map((_, index) => index + 1), rows, given: fields };
}

describe.each(TWO_ENGINES)('references of several fields on %s', (engine) => {
  let place: Place;
  let shop: Opened;
  beforeAll(async () => {
    place = PLACES[engine]!();
    shop = await place.open({ collections });
    await shop.post('order_lines', [
      { order_id: 1, line: 2, article: 'Lid', parent_order: 1, parent_line: 1 },
      { order_id: 1, line: 1, article: 'Pot', parent_order: null, parent_line: null },
      { order_id: 2, line: 1, article: 'Cup', parent_order: null, parent_line: null },
    ]);
    await shop.post('deliveries', [
      { id: 1, order_id: 1, line: 1, from_order: null, from_line: null, day: 'Mon' },
      { id: 2, order_id: 1, line: 1, from_order: 1, from_line: 2, day: 'Tue' },
    ]);
    await shop.post('tags', [{ id: 7, tag: 'new' }]);
    await shop.post('line_tags', [{ order_id: 2, line: 1, tag_id: 7 }]);
  });
  afterAll(() => shop.close());
  const list = (path: string): Promise<unknown> => shop.list(path);

  test('rows are embedded in both directions, with the constraint as a hint', async () => {
    expect(await list('/deliveries?select=day,order_lines!deliveries_line_order_id_fkey(article)&id=eq.1')).toEqual([
      { day: 'Mon', order_lines: { article: 'Pot' } },
    ]);
    expect(await list('/deliveries?select=day,origin(article),from:order_lines!origin(line)&order=id')).toEqual([
      { day: 'Mon', origin: null, from: null },
      { day: 'Tue', origin: { article: 'Lid' }, from: { line: 2 } },
    ]);
    const lines = '/order_lines?select=article,deliveries!deliveries_line_order_id_fkey(day)&order=order_id,line';
    expect(await list(`${lines}&limit=2`)).toEqual([
      { article: 'Pot', deliveries: [{ day: 'Mon' }, { day: 'Tue' }] },
      { article: 'Lid', deliveries: [] },
    ]);
    expect(await list('/order_lines?select=article,parent(article),tags(tag)&order=order_id,line')).toEqual([
      { article: 'Pot', parent: null, tags: [] },
      { article: 'Lid', parent: { article: 'Pot' }, tags: [] },
      { article: 'Cup', parent: null, tags: [{ tag: 'new' }] },
    ]);
    expect(await list('/tags?select=order_lines!inner(article)&order_lines.article=eq.Cup')).toEqual([
      { order_lines: [{ article: 'Cup' }] },
    ]);
    const ambiguous = await expectRefusal(await shop.fetch('/deliveries?select=order_lines(*)'), 300, 'PGRST201');
    expect(JSON.stringify(ambiguous.details)).toContain(
      'origin using deliveries(from_order, from_line) and order_lines(order_id, line)',
    );
  });

  test('a row that is missing or still referenced is named', async () => {
    const row = { id: 9, order_id: 2, line: 3, from_order: null, from_line: null, day: null };
    const missing = await expectRefusal(await shop.fetch('/deliveries', sendJson('POST', [row])), 409, '23503');
    expect(missing.message).toBe(
      'insert or update on table "deliveries" violates foreign key constraint "deliveries_line_order_id_fkey"',
    );
    expect(missing.details).toBe('Key (order_id, line)=(2, 3) is not present in table "order_lines".');
    const all = await shop.fetch(
      '/deliveries',
      sendJson('POST', [{ ...row, id: 10, line: 1 }, row], { prefer: 'errors=all' }),
    );
    expect(await all.json()).toMatchObject({
      errors: [{ code: '23503', index: 1, field: 'order_id,line', value: [2, 3] }],
    });
    const kept = await shop.fetch('/order_lines?order_id=eq.2', { method: 'DELETE' });
    expect((await expectRefusal(kept, 409, '23503')).details).toBe(
      'Key (order_id, line)=(2, 1) is still referenced from table "line_tags".',
    );
    const moved = await expectRefusal(
      await shop.fetch('/deliveries?id=eq.1', sendJson('PATCH', { line: 9 })),
      409,
      '23503',
    );
    expect(moved.message).toBe(missing.message);
    const rows = [{ order_id: 4, line: 1, article: 'x', parent_order: 4, parent_line: 2 }];
    await expectRefusal(await shop.fetch('/order_lines', sendJson('POST', rows)), 409, '23503');
  });

  test('a load rejects rows that refer to nothing, and takes rows that refer to each other', async () => {
    const into = declareCatalogue({ collections }).collections.get('order_lines')!;
    const load = (rows: readonly StoredRow[]) =>
      shop.engine.load([{ into, batches: batchOf(into, rows) }], {
        onConflict: 'refuse',
        dryRun: true,
        onRejected: ({ error }) => {
          throw error;
        },
        mayStore: () => true,
      });
    await expect(load([[9, 1, 'a', 9, 3]])).rejects.toThrow('violates foreign key constraint "parent"');
    expect(
      await load([
        [9, 1, 'a', 9, 2],
        [9, 2, 'b', 1, 1],
      ]),
    ).toMatchObject({ inserted: 2 });
  });

  test('a delete cascades or clears, as declared', async () => {
    await shop.post('order_lines', [
      { order_id: 8, line: 1, article: 'a', parent_order: null, parent_line: null },
      { order_id: 8, line: 2, article: 'b', parent_order: 8, parent_line: 1 },
    ]);
    await shop.post('deliveries', { id: 8, order_id: 8, line: 1, from_order: null, from_line: null, day: null });
    expect((await shop.fetch('/order_lines?order_id=eq.8&line=eq.1', { method: 'DELETE' })).status).toBe(204);
    expect(await list('/deliveries?id=eq.8')).toEqual([]);
    expect(await list('/order_lines?order_id=eq.8&select=line,parent_order,parent_line')).toEqual([
      { line: 2, parent_order: null, parent_line: null },
    ]);
    await shop.fetch('/order_lines?order_id=eq.8', { method: 'DELETE' });
  });

  test('it is added to and removed from stored rows, unless they break it', async () => {
    expect(await place.plan({ collections })).toEqual({ steps: [], problems: [] });
    const other = PLACES[engine]!();
    const without = collections.map(({ references: _, ...draft }) => draft);
    const first = await other.open({ collections: without });
    await first.post('order_lines', { order_id: 1, line: 1, article: 'x', parent_order: 1, parent_line: 5 });
    await first.close();
    expect(await refusalOf(other, { collections })).toMatch(/refers? to a row|violates foreign key constraint/);
    const cleared = await other.open({ collections: without });
    await cleared.fetch('/order_lines?line=eq.1', sendJson('PATCH', { parent_line: 1 }));
    await cleared.close();
    const second = await other.open({ collections });
    await expectRefusal(
      await second.fetch('/order_lines?line=eq.1', sendJson('PATCH', { parent_order: 9, parent_line: 9 })),
      409,
      '23503',
    );
    await second.close();
    const third = await other.open({ collections: without });
    expect((await third.fetch('/order_lines?line=eq.1', sendJson('PATCH', { parent_line: 9 }))).status).toBe(204);
    await third.close();
  });
});

test('a declaration with such references is written as it was read, and mistakes are named', async () => {
  const written = `collections:\n${collections.map((draft) => printCollection(draft)).join('')}`;
  expect((await parseDeclaration(written, 'collections.yaml')).collections).toEqual(collections);
  const fields = ['post_id'];
  const references = ['posts', 'shown_posts'].map((collection) => ({
    fields,
    collection,
    to: ['id'],
    constraint: 'mark',
  }));
  expect(
    printCollection({ name: 'marks', key: [], references, fields: [{ name: 'post_id', type: 'int4' }] }),
  ).toContain('{ fields: [ post_id ], collection: shown_posts, to: [ id ], constraint: mark }');
  const wrong = (reference: string) =>
    mistakesIn(`collections:
  a: { key: [x, y], fields: { x: int4, y: text } }
  b: { fields: { id: int4, p: int4, q: { type: text, required: true }, r: int4 }, references: [${reference}] }
`);
  expect(await wrong('{ fields: [p], collection: a }')).toEqual([
    '3:96 b: references: fields (p) and to (x, y) must have the same number of names',
  ]);
  expect(await wrong('{ fields: [p, r], collection: a }')).toEqual([
    '3:96 b: references: r is int4, and a.y is text: make it text',
  ]);
  // `declare` writes such a foreign key of PostgreSQL, which can compare the types. It serves embedding.
  expect(await wrong('{ fields: [p, r], collection: a, to: [x, y] }')).toEqual([]);
  expect(await wrong('{ fields: [p, r], collection: a, to: [x, y], onDelete: cascade }')).toHaveLength(1);
  expect(await wrong('{ fields: [p, q], collection: a, onDelete: set null }')).toEqual([
    '3:96 b: references: onDelete: set null is not for a required field, nor for a key',
  ]);
  expect(await wrong('{ fields: [p], to: [x], collection: a, onDelete: cascade }')).toEqual([
    '3:96 b: references: onDelete is only for several fields that hold the key of a',
  ]);
});
