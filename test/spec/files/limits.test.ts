/** Limits of files, interrupted uploads, and the removal of orphans. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { CollectionDraft } from '../../../src/collection/draft.ts';
import { type Opened, PLACES, type Place } from '../../support/engines/declared.ts';
import { gradient } from '../../support/pictures.ts';
import { expectRefusal, send, sendJson } from '../../support/stories.ts';

const COLLECTIONS: readonly CollectionDraft[] = [
  {
    name: 'products',
    key: ['id'],
    fields: [
      { name: 'id', type: 'int4' },
      { name: 'image', type: 'image' },
      { name: 'images', type: 'image[]', maxCount: 3 },
    ],
  },
];
const MAX_FILE = 1_000_000;
const MAX_TOTAL = 2_500_000;

describe.each(Object.keys(PLACES))('%s: limits of files', (engine) => {
  let place: Place;
  let shop: Opened;
  beforeAll(async () => {
    place = PLACES[engine]!();
    const options = { maxFileBytes: MAX_FILE, maxTotalFileBytes: MAX_TOTAL };
    shop = await place.open({ collections: COLLECTIONS, rows: { products: [{ id: 1 }] }, options });
  });
  afterAll(() => shop.close());

  const count = async (table: string, where = 'true') =>
    Number((await place.ask(`select count(*) as n from ${table} where ${where}`))[0]!.n);
  const upload = async (body: NonNullable<RequestInit['body']>, type = 'application/x-data') =>
    shop.fetch('/files', { ...send('POST', type, body), duplex: 'half' } as RequestInit);
  const unique = (length: number, seed: number) => {
    const bytes = new Uint8Array(length).fill(seed);
    bytes[0] = 200 + seed;
    return bytes;
  };

  test('a file may have as many bytes as the limit, and an endless stream is cut off', async () => {
    expect((await upload(unique(MAX_FILE, 1))).status).toBe(201);
    await expectRefusal(await upload(unique(MAX_FILE + 1, 2)), 413, 'CAT413');
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(7));
      },
    });
    await expectRefusal(await upload(endless), 413, 'CAT413');
    expect(sent).toBeLessThan(4 * MAX_FILE);
    const form = new FormData();
    form.append('good', new File([unique(10, 3)], 'good.bin'));
    form.append('large', new File([unique(MAX_FILE + 1, 4)], 'large.bin'));
    await expectRefusal(await shop.fetch('/files', { method: 'POST', body: form }), 413, 'CAT413');
    expect(await count('catalogue_files')).toBe(1);
    expect(await count('catalogue_file_contents', 'sha256 is null')).toBe(0);
  });

  test('a body that breaks off leaves no file', async () => {
    const before = await count('catalogue_files');
    let pieces = 0;
    const broken = new ReadableStream({
      pull(controller) {
        if (++pieces > 6) controller.error(new Error('gone'));
        else controller.enqueue(new Uint8Array(100_000).fill(pieces));
      },
    });
    await expectRefusal(await upload(broken), 400, 'PGRST102');
    for (const body of ['--b\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n\r\nhalf', 'no parts', '']) {
      await expectRefusal(await upload(body, 'multipart/form-data; boundary=b'), 400, 'PGRST102');
    }
    await expectRefusal(await upload('x', 'multipart/form-data'), 400, 'PGRST102');
    expect(await count('catalogue_files')).toBe(before);
    expect(await count('catalogue_file_contents', 'sha256 is null')).toBe(0);
  });

  test('files that no row refers to are removed after a day, in two steps', async () => {
    const picture = gradient(30, 30, 5);
    const other = gradient(30, 30, 6);
    const idOf = async (response: Response) => ((await response.json()) as { id: string }).id;
    const used = await idOf(await upload(picture, 'image/png'));
    const orphan = await idOf(await upload(other, 'image/png'));
    const twin = await idOf(await upload(picture, 'image/png'));
    const listed = await idOf(await upload(picture, 'image/png'));
    const late = await idOf(await upload(picture, 'image/png'));
    await shop.fetch('/products?id=eq.1', sendJson('PATCH', { image: used, images: [listed] }));
    const age = engine === 'SQLite' ? "'2020-01-01T00:00:00+00:00'" : "'2020-01-01'::timestamptz";
    const sweep = async () => {
      while (await shop.app.removeOrphans());
    };
    const left = async () =>
      (await shop.list(`/files?select=id&id=in.(${[used, orphan, twin, listed, late].join()})`)).map(({ id }) => id);
    await sweep();
    expect(await left()).toHaveLength(5);
    await place.ask(`update catalogue_files set created_at = ${age}`);
    await place.ask(`update catalogue_file_contents set created_at = ${age}`);
    await sweep();
    expect(await left()).toHaveLength(5);
    expect(await count('catalogue_files', 'orphaned_at is not null')).toBeGreaterThanOrEqual(3);
    // A file that is used again is not an orphan any more.
    expect((await shop.fetch('/products', sendJson('POST', { id: 2, image: twin }))).status).toBe(201);
    await place.ask(`update catalogue_files set orphaned_at = ${age} where orphaned_at is not null`);
    // No constraint protects the files of a list, so that the write itself keeps the file.
    expect((await shop.fetch('/products/2', sendJson('PATCH', { images: [late] }))).status).toBe(204);
    expect(await count('catalogue_files', `id = '${late}' and orphaned_at is null`)).toBe(1);
    await sweep();
    expect(new Set(await left())).toEqual(new Set([used, twin, listed, late]));
    expect(await count('catalogue_files', 'orphaned_at is not null')).toBe(0);
    // The contents of removed files go with their chunks; those in use stay.
    expect(await count('catalogue_file_contents')).toBe(1);
    const response = await shop.fetch(`/files/${twin}/x`);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(picture);
    expect(await count('catalogue_file_chunks')).toBe(1);
  });

  test('all files together have a limit', async () => {
    for (const seed of [11, 12]) expect((await upload(unique(MAX_FILE, seed))).status).toBe(201);
    const refused = await upload(unique(MAX_FILE, 13));
    const problem = await expectRefusal(refused, 413, 'CAT413');
    expect(problem.hint).toContain('--max-total-file-mb');
  });
});
