/** Lists of files: `images: image[]`. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { serveFeeds } from '../../support/engines/feed-service.ts';
import { type As, declaredBy, identify, openRoled, type Roled } from '../../support/engines/roles.ts';
import { openDeclaredEngine } from '../../support/engines/shop.ts';
import { gradient, PICTURE } from '../../support/pictures.ts';
import { expectRefusal, send, sendJson } from '../../support/stories.ts';

const SHOP = declaredBy(`
collections:
  products:
    fields:
      id: int4
      shown: { type: boolean, required: true, default: true }
      images: { type: 'image[]', maxCount: 4, maxBytes: 100000 }
      papers: 'file[]'
roles:
  anonymous: { products: { read: { where: 'shown=is.true', fields: [id, shown, images] } } }
  painter: { products: { read: true, update: { where: 'id=eq.1', fields: [images] } }, changes: { read: true } }
  admin: all
`);
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const PRODUCT = { id: 1, shown: true, images: null, papers: null };

let seed = 0;

describe.each(['SQLite', 'PostgreSQL'])('%s: lists of files', (engine) => {
  let shop: Roled;
  let as: As;
  beforeAll(async () => {
    const products = [1, 2, 3, 4].map((id) => ({ id, shown: id !== 2, images: null, papers: null }));
    shop = await openRoled(engine, SHOP, { products });
    as = shop.as;
  });
  afterAll(() => shop.close());

  const upload = async (name: string): Promise<string> => {
    const headers = { 'content-disposition': `attachment; filename="${name}"` };
    const response = await as('admin').fetch('/files', send('POST', 'image/png', gradient(8, 8, ++seed), headers));
    return ((await response.json()) as { id: string }).id;
  };
  const patch = (id: number, body: object, role = 'admin') =>
    as(role).fetch(`/products/${id}`, sendJson('PATCH', body));
  const names = async (id: number, role: string | undefined = 'admin', more = '') =>
    (await as(role).list(`/products?id=eq.${id}&select=images(name)${more}`))[0] as unknown as {
      images: { name: string }[];
    };

  test('a product has pictures in an order, and the response embeds them in that order', async () => {
    const [one, two, three] = [await upload('one'), await upload('two'), await upload('three')];
    expect((await patch(1, { images: [three, one, two] })).status).toBe(204);
    expect(await names(1)).toEqual({ images: [{ name: 'three' }, { name: 'one' }, { name: 'two' }] });
    expect(await names(1, undefined, '&images.order=name.desc&images.limit=2')).toEqual({
      images: [{ name: 'two' }, { name: 'three' }],
    });
    expect(await names(1, 'admin', '&images.limit=1&images.offset=1')).toEqual({ images: [{ name: 'one' }] });
    expect(await as('admin').list('/products?id=eq.1&select=images')).toEqual([{ images: [three, one, two] } as never]);
    // Filters of the embedding, its aggregates and its values.
    expect(await as('admin').list('/products?select=id,images!inner(name)&images.name=eq.two')).toEqual([
      { id: 1, images: [{ name: 'two' }] } as never,
    ]);
    expect(await as('admin').list('/products?id=in.(1,3)&select=id,images(count())')).toEqual([
      { id: 1, images: [{ count: 3 }] },
      { id: 3, images: [{ count: 0 }] },
    ] as never);
    expect(await as('admin').list('/products?id=eq.1&select=...images(names:name)')).toEqual([
      { names: ['three', 'one', 'two'] } as never,
    ]);
    expect(await as('admin').list(`/products?select=id&images=cs.{${one}}`)).toEqual([{ id: 1 }]);
    // A file that is in the list twice is shown twice; a row without a list shows none.
    expect((await patch(3, { images: [one, one] })).status).toBe(204);
    expect(await names(3)).toEqual({ images: [{ name: 'one' }, { name: 'one' }] });
    expect((await patch(3, { images: null })).status).toBe(204);
    expect(await names(3)).toEqual({ images: [] });
    // Reorder, remove and append without reading first.
    expect((await patch(1, { images: { remove: one } })).status).toBe(204);
    expect((await patch(3, { images: { append: [two, one] } })).status).toBe(204);
    expect([await names(1), await names(3)]).toEqual([
      { images: [{ name: 'three' }, { name: 'two' }] },
      { images: [{ name: 'two' }, { name: 'one' }] },
    ]);
  });

  test('every element must be a file that the caller may use, of the right kind', async () => {
    const [image, other] = [await upload('image'), await upload('other')];
    const text = await as('admin').fetch('/files', send('POST', 'text/plain', new TextEncoder().encode('hello')));
    const { id: paper } = (await text.json()) as { id: string };
    for (const images of [[image, UNKNOWN], { append: [image, UNKNOWN] }]) {
      expect(await expectRefusal(await patch(4, { images }), 409, '23503')).toMatchObject({ field: 'images' });
    }
    const created = await as('admin').fetch(
      '/products',
      sendJson('POST', [
        { id: 8, images: [image] },
        { id: 9, images: [UNKNOWN] },
      ]),
    );
    expect(await expectRefusal(created, 409, '23503')).toMatchObject({ index: 1, field: 'images' });
    expect(await expectRefusal(await patch(4, { images: [paper] }), 400, '23514')).toMatchObject({ field: 'images' });
    for (const images of [[image, null], [[image], [other]], ['x'], 'x', image]) {
      await expectRefusal(await patch(4, { images }), 400, '22P02');
    }
    await expectRefusal(await patch(4, { images: [image, other, image, other, image] }), 400, '23514');
    expect((await patch(4, { images: [image, other, image], papers: [paper, image] })).status).toBe(204);
    await expectRefusal(await patch(4, { images: { append: [image, other] } }), 400, '23514');
    // The painter sees no row that refers to the file.
    const hidden = await upload('hidden');
    await expectRefusal(await patch(1, { images: [hidden] }, 'painter'), 409, '23503');
    expect((await patch(1, { images: [image] }, 'painter')).status).toBe(204);
  });

  test('a caller reads a file that a visible list contains', async () => {
    const [shown, hidden, paper] = [await upload('shown'), await upload('hidden'), await upload('paper')];
    await patch(3, { images: [await upload('first'), shown], papers: [paper] });
    await patch(2, { images: [hidden] });
    const status = async (id: string) => (await as(undefined).fetch(`/files/${id}/x`)).status;
    expect([await status(shown), await status(hidden), await status(paper)]).toEqual([200, 404, 404]);
    const readable = (await as(undefined).list('/files?select=id')).map(({ id }) => id);
    expect(readable).toContain(shown);
    expect(readable).not.toContain(hidden);
    await expectRefusal(await as(undefined).fetch('/products?select=papers(name)'), 401, '42501');
    await patch(3, { images: [] });
    expect(await status(shown)).toBe(404);
  });

  test('POST to the field appends files in one transaction', async () => {
    const rows = async () => (await as('admin').list('/files?select=id')).length;
    const append = (path: string, body: NonNullable<RequestInit['body']>, role = 'admin', type = 'image/png') =>
      as(role).fetch(path, body instanceof FormData ? { method: 'POST', body } : send('POST', type, body));
    await patch(1, { images: null });
    const first = await append('/products/1/images', PICTURE, 'painter');
    expect(first.status).toBe(201);
    const { id } = (await first.json()) as { id: string };
    const form = new FormData();
    for (const name of ['b.png', 'c.png']) form.append('file', new File([gradient(9, 9, ++seed)], name));
    const both = await append('/products/1/images', form);
    expect([both.status, (await both.json()) as object[]]).toMatchObject([201, [{ name: 'b.png' }, { name: 'c.png' }]]);
    expect(await names(1)).toEqual({ images: [{ name: 'file' }, { name: 'b.png' }, { name: 'c.png' }] });
    expect((await as('admin').list('/products?id=eq.1&select=images'))[0]!.images).toContain(id);
    const before = await rows();
    await expectRefusal(await append('/products/1/images', form), 400, '23514');
    await expectRefusal(await append('/products/99/images', PICTURE), 404, 'CAT404');
    await expectRefusal(await append('/products/2/images', PICTURE, 'painter'), 404, 'CAT404');
    await expectRefusal(await append('/products/1/papers', PICTURE, 'painter'), 403, '42501');
    await expectRefusal(await append('/products/1/images', 'hello', 'admin', 'text/plain'), 400, '23514');
    await expectRefusal(await append('/products/1/images', gradient(300, 300)), 400, '23514');
    const put = await as('admin').fetch('/products/1/images', send('PUT', 'image/png', PICTURE));
    expect((await expectRefusal(put, 405, 'PGRST117')).hint).toContain('POST');
    expect(await rows()).toBe(before);
  });

  test('the history shows lists, and an undo restores one', async () => {
    const [one, two] = [await upload('one'), await upload('two')];
    await patch(4, { images: [one] });
    await patch(4, { images: [two, one] });
    const changes = '/changes?collection=eq.products&key=eq.4';
    const [last] = await as('admin').list(`${changes}&select=seq,at,before,after&order=seq.desc&limit=1`);
    expect(last).toMatchObject({ before: { images: [one] }, after: { images: [two, one] } });
    const undone = await as('admin').fetch(`/changes/undo?seq=eq.${last!.seq}`, { method: 'POST' });
    expect(undone.status).toBeLessThan(300);
    expect(await names(4)).toEqual({ images: [{ name: 'one' }] });
    for (const role of ['admin', 'painter']) {
      const earlier = { headers: { prefer: `as-of=${last!.at}` } };
      const response = await as(role).fetch('/products?id=eq.4&select=images(name)', earlier);
      expect(await response.json()).toEqual([{ images: [{ name: 'two' }, { name: 'one' }] }]);
    }
  });

  test('a feed embeds pictures', async () => {
    const headers = { 'x-role': 'painter' };
    const service = serveFeeds(await openDeclaredEngine(engine, SHOP, { products: [PRODUCT] }), SHOP, { identify });
    try {
      const client = await service.follow('/products?select=id,images(name)', headers);
      expect(client.take()).toEqual([
        ['row', { id: 1, images: [] }],
        ['ready', {}],
      ]);
      const named = { ...headers, 'content-disposition': 'attachment; filename="tea.png"' };
      const posted = await service.fetch('/products/1/images', send('POST', 'image/png', PICTURE, named));
      expect(posted.status).toBe(201);
      expect(await client.next()).toEqual([['update', { id: 1, images: [{ name: 'tea.png' }] }]]);
      // Files have no log, and no declaration changes that.
      const refused = await service.fetch('/files', { headers: { ...headers, accept: 'text/event-stream' } });
      const { hint } = await expectRefusal(refused, 501, 'CAT501');
      expect(hint).toBe('A file never changes. Use the collections whose rows refer to files.');
    } finally {
      await service.close();
    }
  });
});
