/** Roles and files: a file is as visible as the rows and fields that refer to it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Caller } from '../../../src/collection/access/caller.ts';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { type As, declaredBy, openRoled, type Roled } from '../../support/engines/roles.ts';
import { fromNow } from '../../support/engines/time-shop.ts';
import { gradient } from '../../support/pictures.ts';
import { until } from '../../support/processes/process.ts';
import { expectRefusal, send, sendJson } from '../../support/stories.ts';

const SHOP = declaredBy(`
collections:
  products:
    fields:
      id: int4
      shown: { type: boolean, required: true, default: true }
      image: image
      contract: file
      shown_to: timestamptz
  notes:
    fields: { id: int4, text: text }
roles:
  anonymous:
    products: { read: { where: 'shown=is.true', fields: [id, shown, image] } }
  guest:
    products: { read: { where: 'shown_to=gt.{now}' } }
  writer:
    products: { read: true, create: true, update: true }
  painter:
    products: { create: { fields: [id, image] } }
  clerk:
    notes: { read: true, create: true, update: true }
  admin: all
`);

let seed = 0;
const nextPicture = () => gradient(20, 20, ++seed);

describe.each(TWO_ENGINES)('%s: roles and files', (engine) => {
  let shop: Roled;
  let as: As;
  beforeAll(async () => {
    const identify = ({ headers }: Pick<Request, 'headers'>): Caller => {
      const role = headers.get('x-role') ?? 'anonymous';
      const { sub, identity = `user ${sub}` } = JSON.parse(headers.get('x-claims') ?? '{}');
      return sub === undefined ? { role, claims: {} } : { role, claims: {}, name: sub, identity };
    };
    shop = await openRoled(engine, SHOP, { products: [1, 2, 3].map((id) => ({ id, shown: id !== 2 })) }, { identify });
    as = shop.as;
  });
  afterAll(() => shop.close());

  const upload = async (role: string, sub?: string): Promise<string> => {
    const client = as(role, sub === undefined ? undefined : { sub });
    const response = await client.fetch('/files', send('POST', 'image/png', nextPicture()));
    expect(response.status).toBe(201);
    return ((await response.json()) as { id: string }).id;
  };
  const set = async (id: number, fields: object) =>
    expect((await as('admin').fetch(`/products?id=eq.${id}`, sendJson('PATCH', fields))).status).toBe(204);
  const status = async (role: string | undefined, id: string, claims?: object) =>
    (await as(role, claims as Record<string, unknown>).fetch(`/files/${id}/x`)).status;

  test('a file is gone when the time of its row is over, without a write', async () => {
    const image = await upload('admin');
    await set(3, { image, shown_to: fromNow(3_600_000) });
    expect([await status('guest', image), await status('guest', image)]).toEqual([200, 200]);
    await set(3, { shown_to: fromNow(300) });
    await status('guest', image);
    await until('the end of the time', async () => (await status('guest', image)) === 404);
    await set(3, { image: null });
  });

  test('visitors see a file if they see a row and a field that refer to it', async () => {
    const [image, hidden, contract, unused] = [
      await upload('admin'),
      await upload('admin'),
      await upload('admin'),
      await upload('admin'),
    ];
    await set(1, { image, contract });
    await set(2, { image: hidden });
    expect(await Promise.all([image, hidden, contract, unused].map((id) => status(undefined, id!)))).toEqual([
      200, 404, 404, 404,
    ]);
    expect(await Promise.all([image, hidden, contract, unused].map((id) => status('writer', id!)))).toEqual([
      200, 200, 200, 404,
    ]);
    expect(await Promise.all([image, unused].map((id) => status('admin', id!)))).toEqual([200, 200]);
    expect(await Promise.all([image].map((id) => status('clerk', id!)))).toEqual([404]);
    const cache = async (role: string | undefined, id: string) =>
      (await as(role).fetch(`/files/${id}/x`)).headers.get('cache-control')!.split(',')[0];
    expect([await cache(undefined, image!), await cache('writer', image!), await cache('writer', contract!)]).toEqual([
      'public',
      'private',
      'private',
    ]);
    const missing = await expectRefusal(await as(undefined).fetch(`/files/${hidden}/x`), 404, 'CAT404');
    expect(missing.message).toContain(hidden!);
    expect((await as(undefined).list('/files?select=id')).map(({ id }) => id)).toEqual([image!]);
    expect(await as(undefined).list('/products?id=eq.1&select=id,image(id)')).toEqual([
      { id: 1, image: { id: image } } as never,
    ]);
    await expectRefusal(await as('clerk').fetch('/files'), 404, 'PGRST205');
    await set(1, { image: null });
    expect(await status(undefined, image!)).toBe(404);
  });

  test('an uploader reads its own file before a row refers to it, and others do not', async () => {
    const id = await upload('writer', 'ada');
    expect(await status('writer', id, { sub: 'ada' })).toBe(200);
    expect(await status('writer', id, { sub: 'bob' })).toBe(404);
    const response = await as('writer', { sub: 'ada' }).fetch(`/files/${id}/x`);
    expect(response.headers.get('cache-control')).toStartWith('private');
    // Another caller cannot make the file visible by a reference to it.
    const stolen = await as('writer', { sub: 'bob' }).fetch('/products?id=eq.3', sendJson('PATCH', { image: id }));
    await expectRefusal(stolen, 409, '23503');
    const own = await as('writer', { sub: 'ada' }).fetch('/products?id=eq.3', sendJson('PATCH', { image: id }));
    expect(own.status).toBe(204);
    expect(await status(undefined, id)).toBe(200);
  });

  test('what only its uploader reads is not for shared caches, also in the role of visitors', async () => {
    const id = await upload('admin', 'ada');
    const asVisitor = await as('anonymous', { sub: 'ada' }).fetch(`/files/${id}/x`);
    expect([asVisitor.status, asVisitor.headers.get('cache-control')]).toEqual([
      200,
      expect.stringMatching(/^private/),
    ]);
  });

  test('a user, a key and tokens of one name do not read the new files of each other', async () => {
    const sub = 'ada (https://a.example)';
    const identities = [`user ${sub}`, 'key 5f2a', 'token ["https://a.example","ada"]', `token [null,"${sub}"]`];
    for (const identity of identities) {
      const uploaded = await as('writer', { sub, identity }).fetch('/files', send('POST', 'image/png', nextPicture()));
      const { id, ...rest } = (await uploaded.json()) as { id: string };
      expect(rest).not.toHaveProperty('owner');
      for (const other of identities) {
        expect(await status('writer', id, { sub, identity: other })).toBe(other === identity ? 200 : 404);
      }
    }
    await expectRefusal(await as('admin').fetch('/files?select=owner'), 400, '42703');
  });

  test('only roles with every right read who uploaded a file', async () => {
    await set(1, { image: await upload('writer', 'ada') });
    const [row] = await as('admin').list('/products?id=eq.1&select=image(name,created_by)');
    expect(row).toEqual({ image: { name: 'file', created_by: 'ada' } } as never);
    for (const role of [undefined, 'writer']) {
      const client = as(role, { sub: 'ada' });
      for (const file of await client.list('/files')) expect(file).not.toHaveProperty('created_by');
      const [embedded] = (await client.list('/products?id=eq.1&select=image(*)')) as never as [{ image: object }];
      expect(embedded.image).toHaveProperty('sha256');
      expect(embedded.image).not.toHaveProperty('created_by');
      const embedding = '/products?select=id,image(created_by)';
      for (const path of [
        '/files?select=created_by',
        '/files?created_by=eq.ada',
        '/files?order=created_by',
        embedding,
      ]) {
        await expectRefusal(await client.fetch(path), role === undefined ? 401 : 403, '42501');
      }
    }
    const sent = await as('writer', { sub: 'ada' }).fetch('/files', send('POST', 'image/png', nextPicture()));
    expect(await sent.json()).not.toHaveProperty('created_by');
  });

  test('a signed URL serves a file without credentials until it expires', async () => {
    const contract = await upload('admin');
    await set(1, { contract });
    const ask = (role: string | undefined, query = '') =>
      as(role).fetch(`/files/${contract}/sign${query}`, { method: 'POST' });
    await expectRefusal(await ask(undefined), 404, 'CAT404');
    const response = await ask('writer', '?expires=10m');
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { url, expires_at } = (await response.json()) as { url: string; expires_at: string };
    expect(Date.parse(expires_at)).toBe(Number(/expires=(\d+)/.exec(url)![1]) * 1000);
    const file = await as(undefined).fetch(url);
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(file.headers.get('cache-control')).toMatch(/^private, max-age=(5\d\d|600)$/);
    expect((await as('clerk').fetch(`${url}&width=64&format=webp`)).headers.get('content-type')).toBe('image/webp');
    const other = await upload('admin');
    const [, expires = '', signature = ''] = /expires=(\d+)&signature=(.+)$/.exec(url)!;
    for (const wrong of [
      url.replace(expires, String(Number(expires) + 1)),
      url.replace(
        signature,
        signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
      ),
      url.replace(contract, other),
      `${url}x`,
      url.replace(expires, '1'),
      url.replace(expires, 'x'),
    ]) {
      await expectRefusal(await as(undefined).fetch(wrong), 404, 'CAT404');
    }
    for (const query of ['?expires=8d', '?expires=0s', '?expires=x', '?expires=']) {
      await expectRefusal(await ask('writer', query), 400, 'PGRST100');
    }
    // If no visible row refers to the file any more, the caller cannot sign it.
    await set(1, { contract: null });
    await expectRefusal(await ask('writer'), 404, 'CAT404');
  });

  test('only callers who may write a file field upload', async () => {
    const post = (role: string | undefined) => as(role).fetch('/files', send('POST', 'image/png', nextPicture()));
    await expectRefusal(await post(undefined), 401, '42501');
    await expectRefusal(await post('clerk'), 403, '42501');
    for (const role of ['painter', 'writer', 'admin']) expect((await post(role)).status).toBe(201);
  });
});

test('if visitors have every right, shared caches may store all files that they read', async () => {
  const collections = 'collections: { products: { fields: { id: int4, image: image } } }';
  const shop = await openRoled('SQLite', declaredBy(`${collections}\nroles: { anonymous: all, admin: all }`), {});
  try {
    const stored = await shop.as('admin').fetch('/files', send('POST', 'image/png', nextPicture()));
    const { id } = (await stored.json()) as { id: string };
    const cache = async (role?: string) =>
      (await shop.as(role).fetch(`/files/${id}/x`)).headers.get('cache-control')!.split(',')[0];
    expect([await cache(), await cache('admin')]).toEqual(['public', 'private']);
  } finally {
    await shop.close();
  }
});
