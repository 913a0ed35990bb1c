/** Resized images: sizes from a ladder, stored beside the original. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { CollectionDraft } from '../../../src/collection/draft.ts';
import { type Opened, PLACES, type Place } from '../../support/engines/declared.ts';
import { colorOf, gradient, stripes } from '../../support/pictures.ts';
import { expectRefusal, send, sendJson } from '../../support/stories.ts';

const COLLECTIONS: readonly CollectionDraft[] = [
  {
    name: 'products',
    key: ['id'],
    fields: [
      { name: 'id', type: 'int4' },
      { name: 'image', type: 'image' },
    ],
  },
];

const RED = [255, 0, 0];
const GREEN = [0, 255, 0];
const BLUE = [0, 0, 255];

describe.each(Object.keys(PLACES))('%s: resized images', (engine) => {
  let place: Place;
  let shop: Opened;
  let id: string;
  const original = gradient(640, 400);
  beforeAll(async () => {
    place = PLACES[engine]!();
    shop = await place.open({ collections: COLLECTIONS, rows: { products: [{ id: 1 }] } });
    const name = { 'content-disposition': 'attachment; filename="tea.pot.png"' };
    const response = await shop.fetch('/files', send('POST', 'image/png', original, name));
    id = ((await response.json()) as { id: string }).id;
    await shop.fetch('/products?id=eq.1', sendJson('PATCH', { image: id }));
  });
  afterAll(() => shop.close());

  const count = async (table: string) => Number((await place.ask(`select count(*) as n from ${table}`))[0]!.n);
  const get = (query: string, headers: Record<string, string> = {}) =>
    shop.fetch(`/files/${id}/tea.png${query}`, { headers });
  const sizeOf = async (query: string) => {
    const response = await get(query);
    expect(response.status).toBe(200);
    const { width, height, format } = await new Bun.Image(await response.arrayBuffer()).metadata();
    expect(response.headers.get('content-type')).toBe(`image/${format}`);
    return [width, height, format];
  };

  test('fit into the box, whose sides are rounded up', async () => {
    expect(await sizeOf('?width=300')).toEqual([512, 320, 'png']);
    expect(await sizeOf('?width=256&format=webp')).toEqual([256, 160, 'webp']);
    expect(await sizeOf('?width=320&height=100&fit=inside&format=jpeg')).toEqual([205, 128, 'jpeg']);
    expect(await sizeOf('?height=1')).toEqual([102, 64, 'png']);
    // Never enlarged.
    expect(await sizeOf('?width=99999')).toEqual([640, 400, 'png']);
    expect(await sizeOf('?width=2000&format=webp')).toEqual([640, 400, 'webp']);
  });

  test('cover the box with the middle of the image', async () => {
    expect(await sizeOf('?width=128&height=128&fit=cover')).toEqual([128, 128, 'png']);
    expect(await sizeOf('?width=64&height=256&fit=cover&format=webp')).toEqual([64, 256, 'webp']);
    expect(await sizeOf('?width=1000&height=256&fit=cover&format=jpeg')).toEqual([640, 256, 'jpeg']);
    expect(await sizeOf('?width=768&height=768&fit=cover')).toEqual([640, 400, 'png']);
    const flag = stripes(200, 200, [RED, GREEN, BLUE]);
    const { id: flagId } = (await (await shop.fetch('/files', send('POST', 'image/png', flag))).json()) as {
      id: string;
    };
    const middle = await (await shop.fetch(`/files/${flagId}/x?width=128&height=128&fit=cover`)).arrayBuffer();
    expect(await colorOf(middle)).toEqual(GREEN);
    expect(await colorOf(flag.buffer)).not.toEqual(GREEN);
  });

  test('are made once, also for requests at the same time', async () => {
    const before = await count('catalogue_file_variants');
    const answers = await Promise.all(Array.from({ length: 8 }, () => get('?width=200')));
    const bodies = await Promise.all(answers.map(async (each) => Bun.hash(await each.arrayBuffer())));
    expect(new Set(bodies).size).toBe(1);
    for (const width of [193, 220, 256])
      expect(Bun.hash(await (await get(`?width=${width}`)).arrayBuffer())).toBe(bodies[0]!);
    expect(await count('catalogue_file_variants')).toBe(before + 1);
    const tag = answers[0]!.headers.get('etag')!;
    expect((await get('?width=256', { 'if-none-match': tag })).status).toBe(304);
    expect(tag).not.toBe((await get('')).headers.get('etag'));
    expect(answers[0]!.headers.get('content-disposition')).toStartWith('inline; filename="tea.pot.png"');
    const part = await get('?width=256', { range: 'bytes=0-7' });
    expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 8]);
  });

  test('are few, whatever sizes are asked for', async () => {
    const sides = [undefined, 1, 64, 100, 128, 192, 320, 384, 500, 512, 1536, 2048];
    const queries = sides.flatMap((width) =>
      sides.map((height) => `?${width ? `width=${width}&` : ''}${height ? `height=${height}&` : ''}format=jpeg`),
    );
    const answers = await Promise.all(queries.map((query) => get(query)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const sizes = await Promise.all(
      answers.map(async (each) => {
        const { width, height } = await new Bun.Image(await each.arrayBuffer()).metadata();
        return `${width}x${height}`;
      }),
    );
    // By width and by height, and the whole image.
    const few = ['64x40', '128x80', '256x160', '512x320', '102x64', '205x128', '410x256', '640x400'];
    expect(new Set(sizes)).toEqual(new Set(few));
    const forms =
      "select count(*) as n from catalogue_file_variants where form like '%jpeg' and form not like '%cover%'";
    expect(Number((await place.ask(forms))[0]!.n)).toBe(few.length);
  });

  test('reject sizes and files that make no sense', async () => {
    for (const query of [
      '?width=0',
      '?width=-5',
      '?width=a',
      '?height=1e9',
      '?format=gif',
      '?fit=cover',
      '?width=64&fit=cover',
      '?width=64&height=64&fit=fill',
      '?width=',
    ]) {
      await expectRefusal(await get(query), 400, 'PGRST100');
    }
    const text = await shop.fetch('/files', send('POST', 'text/plain', new TextEncoder().encode('hello')));
    const { id: textId } = (await text.json()) as { id: string };
    await expectRefusal(await shop.fetch(`/files/${textId}/x?width=64`), 400, 'PGRST100');
  });

  test('go with the original', async () => {
    expect(await count('catalogue_file_variants')).toBeGreaterThan(3);
    await shop.fetch('/products?id=eq.1', sendJson('PATCH', { image: null }));
    const old = engine === 'SQLite' ? "'2020-01-01T00:00:00+00:00'" : "'2020-01-01'::timestamptz";
    await place.ask(`update catalogue_files set created_at = ${old}, orphaned_at = ${old}`);
    await place.ask(`update catalogue_file_contents set created_at = ${old}`);
    while (await shop.app.removeOrphans());
    const left = ['catalogue_files', 'catalogue_file_variants', 'catalogue_file_contents', 'catalogue_file_chunks'];
    expect(await Promise.all(left.map(count))).toEqual([0, 0, 0, 0]);
  });
});
