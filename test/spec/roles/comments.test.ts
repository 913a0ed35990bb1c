/** Comments on rows: for those who read the row, by their authors, in the log and the feed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { type FeedService, serveFeeds } from '../../support/engines/feed-service.ts';
import { declaredBy, identify } from '../../support/engines/roles.ts';
import { openDeclaredEngine } from '../../support/engines/shop.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const COLLECTIONS = `
collections:
  products:
    fields: { id: int4, name: text, is_secret: boolean }
    comments: product_comments
  shelves:
    key: [hall, row]
    fields: { hall: text, row: int4 }
    comments: shelf_notes
`;
const SHOP = declaredBy(`${COLLECTIONS}
roles:
  staff:
    products: { read: { where: is_secret=is.false }, delete: { where: is_secret=is.false } }
    product_comments: { read: true, create: true, update: true, delete: true }
    shelves: { read: true }
    shelf_notes: { read: true, create: true }
    changes: { read: true }
  reader:
    products: { read: { where: is_secret=is.false } }
  admin: all
`);
const ROWS = {
  products: [
    { id: 1, name: 'Boot', is_secret: false },
    { id: 2, name: 'Hidden', is_secret: true },
    { id: 3, name: 'Lamp', is_secret: false },
  ],
  shelves: [{ hall: 'A', row: 7 }],
};
const as = (role: string, sub: string) => ({ 'x-role': role, 'x-claims': JSON.stringify({ sub }) });
const ANN = as('staff', 'ann');
const BEN = as('staff', 'ben');
const ADMIN = as('admin', 'eve');
const COMMENTS = '/product_comments';

describe.each(TWO_ENGINES)('%s: comments', (engine) => {
  let shop: FeedService;
  beforeAll(async () => {
    shop = serveFeeds(await openDeclaredEngine(engine, SHOP, ROWS), SHOP, {
      identify: (request) => {
        const caller = identify(request);
        const { sub } = caller.claims;
        return typeof sub === 'string' ? { ...caller, name: sub, identity: `user ${sub}` } : caller;
      },
    });
  });
  afterAll(() => shop.close());

  const list = async (path: string, headers: Record<string, string>) => {
    const response = await shop.fetch(path, { headers });
    expect(response.status).toBeLessThan(300);
    return (await response.json()) as Record<string, unknown>[];
  };
  const add = async (headers: Record<string, string>, row: object, path = COMMENTS) => {
    const init = sendJson('POST', row, { ...headers, prefer: 'return=representation' });
    const response = await shop.fetch(path, init);
    expect(response.status).toBe(201);
    return ((await response.json()) as Record<string, string>[])[0]!;
  };

  test('the service sets the author and the time; a client cannot', async () => {
    const comment = await add(ANN, { row_id: 1, text: 'Too dear?' });
    expect(comment).toMatchObject({ row_id: 1, text: 'Too dear?', author: 'user ann', edited_at: null });
    expect(Date.parse(comment.created_at!)).toBeGreaterThan(0);
    for (const field of ['author', 'created_at']) {
      const forged = { row_id: 1, text: 'x', [field]: '2020-01-01' };
      await expectRefusal(await shop.fetch(COMMENTS, sendJson('POST', forged, BEN)), 400, '428C9');
    }
    await expectRefusal(await shop.fetch(COMMENTS, sendJson('POST', { row_id: 1, text: ' ' }, ANN)), 400, '23514');
    const batch = [{ method: 'POST', path: COMMENTS, body: { row_id: 1, text: 'By a batch' } }];
    expect((await shop.fetch('/batch', sendJson('POST', batch, BEN))).status).toBe(200);
    expect(await list(`${COMMENTS}?select=author,text&order=created_at`, ANN)).toEqual([
      { author: 'user ann', text: 'Too dear?' },
      { author: 'user ben', text: 'By a batch' },
    ]);
    const counted = '/products?select=id,product_comments(count)&order=id';
    expect(await list(counted, BEN)).toEqual([
      { id: 1, product_comments: [{ count: 2 }] },
      { id: 3, product_comments: [{ count: 0 }] },
    ]);
  });

  test('people change and delete only their own comments; a role with every right deletes any', async () => {
    const { id } = await add(ANN, { row_id: 3, text: 'Mine' });
    const path = `${COMMENTS}/${id}`;
    const change = (headers: Record<string, string>, text: string) =>
      shop.fetch(path, sendJson('PATCH', { text }, { ...headers, prefer: 'return=representation' }));
    await expectRefusal(await change(BEN, 'Not mine'), 404, 'CAT404');
    await expectRefusal(await shop.fetch(path, { method: 'DELETE', headers: BEN }), 404, 'CAT404');
    const merged = { id, row_id: 3, text: 'Taken over' };
    const merge = sendJson('POST', merged, { ...BEN, prefer: 'resolution=merge-duplicates' });
    await expectRefusal(await shop.fetch(COMMENTS, merge), 403, '42501');
    expect(await (await change(ANN, 'Still mine')).json()).toMatchObject([
      { text: 'Still mine', author: 'user ann', edited_at: expect.stringContaining('T') },
    ]);
    expect((await shop.fetch(path, { method: 'DELETE', headers: ANN })).status).toBe(204);
    const replaced = await add(ANN, { row_id: 3, text: 'To replace' });
    const replacement = sendJson('PUT', { row_id: 3, text: 'Replaced' }, { ...ANN, prefer: 'return=representation' });
    expect(await (await shop.fetch(`${COMMENTS}/${replaced.id}`, replacement)).json()).toMatchObject([
      {
        text: 'Replaced',
        author: 'user ann',
        created_at: replaced.created_at,
        edited_at: expect.stringContaining('T'),
      },
    ]);
    const other = await add(BEN, { row_id: 3, text: 'Ben was here' });
    expect((await shop.fetch(`${COMMENTS}/${other.id}`, { method: 'DELETE', headers: ADMIN })).status).toBe(204);
  });

  test('comments on a hidden row change nothing that a role gets: lists, counts, the log and the feed', async () => {
    const paths = [
      COMMENTS,
      `${COMMENTS}?select=count()`,
      '/products?select=id,product_comments(text)&order=id',
      '/changes?select=collection,key,kind,after',
    ];
    const seen = async () =>
      Promise.all(
        paths.map(async (path) => {
          const response = await shop.fetch(path, { headers: { ...BEN, prefer: 'count=exact' } });
          return [response.status, response.headers.get('content-range'), await response.text()];
        }),
      );
    const feed = await shop.follow(`${COMMENTS}?select=id,text`, BEN);
    feed.take();
    const before = await seen();
    const { id } = await add(ADMIN, { row_id: 2, text: 'Launch in May' });
    expect(await seen()).toEqual(before);
    await expectRefusal(await shop.fetch(`${COMMENTS}/${id}`, { headers: BEN }), 404, 'CAT404');
    // A hidden row and one that does not exist look the same.
    const texts = [2, 99].map(async (row_id) => {
      const response = await shop.fetch(COMMENTS, sendJson('POST', { row_id, text: 'x' }, BEN));
      return [response.status, await response.text()];
    });
    const [hidden, missing] = await Promise.all(texts);
    expect(hidden).toEqual(missing!);
    expect(hidden![0]).toBe(403);
    // When the row becomes visible, so do its comments.
    const show = (is_secret: boolean) =>
      shop.fetch('/products?id=eq.2', sendJson('PATCH', { is_secret }, ADMIN)).then(({ status }) => status);
    expect(await show(false)).toBe(204);
    expect(await feed.next()).toEqual([['insert', { id, text: 'Launch in May' }]]);
    expect(await show(true)).toBe(204);
    expect(await feed.next()).toEqual([['delete', { id }]]);
    const { id: next } = await add(ANN, { row_id: 1, text: 'Live' });
    expect(await feed.next()).toEqual([['insert', { id: next, text: 'Live' }]]);
  });

  test('a role without rights on the comments learns nothing of them', async () => {
    const reader = as('reader', 'rita');
    await expectRefusal(await shop.fetch(COMMENTS, { headers: reader }), 403, '42501');
    const embedded = await shop.fetch('/products?select=id,product_comments(count)', { headers: reader });
    expect(embedded.status).toBe(403);
    expect(await (await shop.fetch('/', { headers: reader })).text()).not.toContain('product_comments');
  });

  test('a deleted row takes its comments along, and undo restores both with their authors', async () => {
    const { id } = await add(BEN, { row_id: 3, text: 'Keep it' });
    const [last] = await list('/changes?select=seq&order=seq.desc&limit=1', ADMIN);
    expect((await shop.fetch('/products?id=eq.3', { method: 'DELETE', headers: ADMIN })).status).toBe(204);
    expect(await list(`${COMMENTS}?id=eq.${id}`, ADMIN)).toEqual([]);
    const undo = await shop.fetch(`/changes/undo?seq=gt.${last!.seq}`, { method: 'POST', headers: ADMIN });
    expect(undo.status).toBe(200);
    expect(await list(`${COMMENTS}?id=eq.${id}&select=author,text,row_id`, BEN)).toEqual([
      { author: 'user ben', text: 'Keep it', row_id: 3 },
    ]);
  });

  test('rows with a key of several fields have comments', async () => {
    await add(ANN, { row_hall: 'A', row_row: 7, text: 'Full' }, '/shelf_notes');
    expect(await list('/shelves?select=row,shelf_notes(text,author)', BEN)).toEqual([
      { row: 7, shelf_notes: [{ text: 'Full', author: 'user ann' }] },
    ]);
  });
});
