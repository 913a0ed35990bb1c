/** PUT of a file into a field, and the rules of file fields. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type As, declaredBy, openRoled, type Roled } from '../../support/engines/roles.ts';
import { gradient, PICTURE } from '../../support/pictures.ts';
import { expectRefusal, send, sendJson } from '../../support/stories.ts';

const SHOP = declaredBy(`
collections:
  products:
    fields:
      id: int4
      owner: text
      image: image
      manual: { type: file, mediaTypes: [application/pdf, 'text/*'], maxBytes: 300000 }
  'old books': { fields: { id: int4, 'the cover': image } }
  pairs: { key: [a, b], fields: { a: int4, b: int4, scan: file } }
roles:
  anonymous: { products: { read: true } }
  owner:
    products: { read: true, update: { where: 'owner=eq.{claims.sub}', fields: [image] } }
  admin: all
`);

describe.each(['SQLite', 'PostgreSQL'])('%s: PUT of a file', (engine) => {
  let shop: Roled;
  let as: As;
  beforeAll(async () => {
    const rows = {
      products: [1, 2, 3].map((id) => ({ id, owner: id === 3 ? 'bob' : 'ada', image: null, manual: null })),
      'old books': [{ id: 1 }],
    };
    shop = await openRoled(engine, SHOP, rows);
    as = shop.as;
  });
  afterAll(() => shop.close());

  const text = (length: number) => new TextEncoder().encode('x'.repeat(length));
  const count = async () => (await as('admin').list('/files?select=id')).length;

  test('uploads and sets the field in one request', async () => {
    const name = { 'content-disposition': 'attachment; filename="tea.png"' };
    const response = await as('admin').fetch('/products/1/image', send('PUT', 'image/png', PICTURE, name));
    expect(response.status).toBe(200);
    const file = (await response.json()) as { id: string };
    expect(file).toMatchObject({ name: 'tea.png', width: 40 });
    expect(await as('admin').list('/products?id=eq.1&select=image,file:image(name)')).toEqual([
      { image: file.id, file: { name: 'tea.png' } } as never,
    ]);
    const form = new FormData();
    form.append('file', new File([gradient(9, 9)], 'cup.png', { type: 'image/png' }));
    const replaced = await as('admin').fetch('/products/1/image', { method: 'PUT', body: form });
    expect(replaced.status).toBe(200);
    expect(await as('admin').list('/products?id=eq.1&select=image(name)')).toEqual([
      { image: { name: 'cup.png' } } as never,
    ]);
    expect((await as('admin').fetch('/products/1', sendJson('PATCH', { image: null }))).status).toBe(204);
    expect(await as('admin').list('/products?id=eq.1&select=image')).toEqual([{ image: null }]);
  });

  test('an upload that is sent again with its Idempotency-Key stores no second file', async () => {
    const form = (...names: string[]) => {
      const body = new FormData();
      for (const name of names) body.append('file', new File([gradient(9, name.length)], name, { type: 'image/png' }));
      return body;
    };
    const raw = (seed: number) => ({ headers: { 'content-type': 'image/png' }, body: gradient(9, 9, seed) });
    const uploads: [method: string, path: string, make: (seed: number) => RequestInit][] = [
      ['POST', '/files', raw],
      ['POST', '/files', (seed) => ({ body: form('b.png', 'seed.png'.repeat(seed), 'a1.png') })],
      ['PUT', '/products/1/image', raw],
    ];
    for (const [at, [method, path, make]] of uploads.entries()) {
      const upload = async (seed: number, key = `upload ${at}`) => {
        const init = make(seed);
        const headers = { ...(init.headers as object), 'idempotency-key': key };
        const response = await as('admin').fetch(path, { ...init, method, headers });
        const replayed = response.headers.get('idempotency-replayed');
        return { status: response.status, replayed, body: (await response.json()) as unknown };
      };
      const before = await count();
      const first = await upload(1);
      const after = await count();
      expect([first.replayed, after - before]).toEqual([null, Array.isArray(first.body) ? 3 : 1]);
      expect(await upload(1)).toEqual({ ...first, replayed: 'true' });
      expect(await upload(2)).toMatchObject({ status: 422, body: { code: 'CAT422' } });
      expect(await count()).toBe(after);
      expect((await upload(1, `another ${at}`)).replayed).toBeNull();
    }
    const same = await Promise.all(
      Array.from({ length: 5 }, () =>
        as('admin').fetch('/files', send('POST', 'image/png', PICTURE, { 'idempotency-key': 'at once' })),
      ),
    );
    const ids = await Promise.all(same.map(async (each) => ((await each.json()) as { id: string }).id));
    expect(new Set(ids).size).toBe(1);
  });

  test('finds a field whose name has a space', async () => {
    const response = await as('admin').fetch('/old%20books/1/the%20cover', send('PUT', 'image/png', PICTURE));
    expect(response.status).toBe(200);
  });

  test('stores nothing if the row, the field, the role or the file is wrong', async () => {
    const before = await count();
    const put = (role: string | undefined, path: string, claims = {}) =>
      as(role, claims).fetch(path, send('PUT', 'image/png', gradient(12, 12, 1)));
    await expectRefusal(await put('admin', '/products/99/image'), 404, 'CAT404');
    await expectRefusal(await put('admin', '/products/x/image'), 400, '22P02');
    await expectRefusal(await put('admin', '/products/1/owner'), 404, 'PGRST125');
    await expectRefusal(await put('admin', '/pairs/1/scan'), 404, 'PGRST125');
    const read = await expectRefusal(await as('admin').fetch('/products/1/image'), 405, 'PGRST117');
    expect(read.hint).toBe('Allowed here: OPTIONS, PUT.');
    await expectRefusal(await put(undefined, '/products/1/image'), 401, '42501');
    await expectRefusal(await put('owner', '/products/3/image', { sub: 'ada' }), 404, 'CAT404');
    await expectRefusal(await put('owner', '/products/1/manual', { sub: 'ada' }), 403, '42501');
    const pdf = await as('admin').fetch('/products/1/image', send('PUT', 'text/plain', text(10)));
    expect(await expectRefusal(pdf, 400, '23514')).toMatchObject({ field: 'image' });
    const large = await as('admin').fetch('/products/99/manual', send('PUT', 'text/plain', text(290_000)));
    await expectRefusal(large, 404, 'CAT404');
    const changed = await as('admin').fetch(
      '/products/1/image',
      send('PUT', 'image/png', PICTURE, { 'if-match': '"old"' }),
    );
    await expectRefusal(changed, 412, 'CAT412');
    expect(await count()).toBe(before);
    expect((await put('owner', '/products/1/image', { sub: 'ada' })).status).toBe(200);
  });

  test('a field has allowed media types and a maximum size', async () => {
    const put = (type: string, bytes: Uint8Array<ArrayBuffer>) =>
      as('admin').fetch('/products/2/manual', send('PUT', type, bytes));
    expect((await put('text/markdown', text(100))).status).toBe(200);
    expect((await put('application/pdf', new TextEncoder().encode('%PDF-1.7 …'))).status).toBe(200);
    expect((await expectRefusal(await put('image/png', PICTURE), 400, '23514')).hint).toBe(
      'Allowed: application/pdf, text/*.',
    );
    const large = await expectRefusal(await put('text/plain', text(300_001)), 400, '23514');
    expect(large.message).toContain('300000');
    expect(large.hint).toBe('Send a smaller file.');
    const image = await as('admin').fetch('/files', send('POST', 'image/png', PICTURE));
    const { id } = (await image.json()) as { id: string };
    await expectRefusal(await as('admin').fetch('/products/2', sendJson('PATCH', { manual: id })), 400, '23514');
  });

  test('a browser may ask before it sends', async () => {
    const headers = { 'access-control-request-method': 'PUT', origin: 'http://shop.example' };
    const response = await shop.fetch('/products/1/image', { method: 'OPTIONS', headers });
    expect([response.status, response.headers.get('access-control-allow-methods')]).toEqual([200, 'OPTIONS,PUT']);
  });
});

test('a declaration explains mistakes about files', () => {
  const mistakes = (field: string) => {
    try {
      declaredBy(`collections: { things: { fields: { id: int4, one: ${field} } } }`);
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(mistakes("'image[][]'")).toContain('unknown type');
  expect(mistakes("{ type: 'file[]', maxCount: 0 }")).toContain('maxCount');
  expect(mistakes('{ type: file, maxCount: 3 }')).toContain('maxCount is for lists of files, not file');
  expect(mistakes("{ type: 'file[]', references: things }")).toContain('remove references');
  expect(mistakes('{ type: text, mediaTypes: [image/png] }')).toContain('mediaTypes is for files, not text');
  expect(mistakes('{ type: file, mediaTypes: [png] }')).toContain('png is not a media type');
  expect(mistakes('{ type: file, maxBytes: 0 }')).toContain('maxBytes');
  expect(mistakes('{ type: file, references: things }')).toContain('remove references');
});
