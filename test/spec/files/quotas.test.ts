/** Quotas of files and of uploads in progress. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  FILE_QUOTA_BYTES,
  MAX_FORM_PARTS,
  MAX_SKIPPED_FORM_BYTES,
  MAX_UPLOADS_PER_CALLER,
} from '../../../src/base/limits/files.ts';
import type { CollectionDraft } from '../../../src/collection/draft.ts';
import { type Opened, PLACES, type Place } from '../../support/engines/declared.ts';
import { gradient } from '../../support/pictures.ts';
import { until } from '../../support/processes/process.ts';
import { expectRefusal, send } from '../../support/stories.ts';

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
const MAX_TOTAL = 2_500_000;
const OPTIONS = { maxFileBytes: 1_000_000, maxTotalFileBytes: MAX_TOTAL };

describe.each(Object.keys(PLACES))('%s: quotas of files', (engine) => {
  let place: Place;
  let shop: Opened;
  beforeEach(async () => {
    place = PLACES[engine]!();
    shop = await place.open({ collections: COLLECTIONS, rows: { products: [{ id: 1 }] }, options: OPTIONS });
  });
  afterEach(() => shop.close());

  const upload = (body: NonNullable<RequestInit['body']>, type = 'application/x-data') =>
    shop.fetch('/files', { ...send('POST', type, body), duplex: 'half' } as RequestInit);
  const bytes = (length: number, seed: number) => new Uint8Array(length).fill(200 + seed);
  const storedBytes = async () => ((await shop.list('/files?select=size.sum()')) as never as [{ sum: number }])[0].sum;

  test('parallel uploads fill the limit of all files and do not exceed it', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => upload(bytes(700_000, index))));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(3).fill(201), ...Array<number>(9).fill(413)]);
    expect(await storedBytes()).toBe(2_100_000);
    const rejected = answers.find(({ status }) => status === 413)!;
    expect((await expectRefusal(rejected, 413, 'CAT413')).hint).toContain('--max-total-file-mb');
    expect((await upload(bytes(300_000, 13))).status).toBe(201);
    await expectRefusal(await upload(bytes(300_000, 14)), 413, 'CAT413');
  });

  test('small files count by their number', async () => {
    expect((await upload(bytes(1_000_000, 1))).status).toBe(201);
    expect((await upload(bytes(1_000_000, 2))).status).toBe(201);
    expect((await upload(bytes(400_000, 3))).status).toBe(201);
    const room = Math.floor((MAX_TOTAL - 2_400_000) / FILE_QUOTA_BYTES) - 3;
    for (let count = 0; count < room; count++) expect((await upload('same', 'text/plain')).status).toBe(201);
    await expectRefusal(await upload('same', 'text/plain'), 413, 'CAT413');
  });

  test('resized images do not count', async () => {
    const picture = gradient(600, 400, 3);
    const { id } = (await (await upload(picture, 'image/png')).json()) as { id: string };
    const fill = 2_400_000 - picture.length;
    for (const seed of [1, 2, 3]) expect((await upload(bytes(Math.floor(fill / 3), seed))).status).toBe(201);
    for (const width of [64, 128, 192, 256, 320, 384, 512]) {
      expect((await shop.fetch(`/files/${id}/x?width=${width}&format=png`)).status).toBe(200);
    }
    expect((await upload(bytes(50_000, 4))).status).toBe(201);
  });

  test('a resized image that is uploaded as a file counts', async () => {
    const { id } = (await (await upload(gradient(1200, 900, 3), 'image/png')).json()) as { id: string };
    const resized = await (await shop.fetch(`/files/${id}/x?width=1024&format=png`)).bytes();
    expect(resized.length).toBeGreaterThan(2 * FILE_QUOTA_BYTES);
    const used = (await storedBytes()) + FILE_QUOTA_BYTES;
    const fill = MAX_TOTAL - used - resized.length - 4 * FILE_QUOTA_BYTES;
    for (const seed of [1, 2, 3]) expect((await upload(bytes(Math.floor(fill / 3), seed))).status).toBe(201);
    expect((await upload(resized, 'image/png')).status).toBe(201);
    await expectRefusal(await upload('no room', 'text/plain'), 413, 'CAT413');
  });

  test('files of several instances, in a row, count until they are removed', async () => {
    const other = await place.open({ collections: COLLECTIONS, options: OPTIONS });
    try {
      const post = (to: Opened, seed: number) =>
        to.fetch('/files', send('POST', 'application/x-data', bytes(800_000, seed)));
      for (const [to, seed] of [
        [shop, 1],
        [other, 2],
        [shop, 3],
      ] as const)
        expect((await post(to, seed)).status).toBe(201);
      await expectRefusal(await post(shop, 4), 413, 'CAT413');
      await expectRefusal(await post(other, 4), 413, 'CAT413');
      const twoDays = Date.now() + 49 * 3_600_000;
      while (await shop.app.removeOrphans(twoDays));
      await until('the removed files not to count', async () => (await post(other, 4)).status === 201);
    } finally {
      await other.close();
    }
  });

  test('a caller has a maximum number of uploads in progress, and stalled ones make room', async () => {
    const controllers: ReadableStreamDefaultController[] = [];
    const stalled = Array.from({ length: MAX_UPLOADS_PER_CALLER }, (_, index) =>
      upload(
        new ReadableStream({
          start(controller) {
            controllers.push(controller);
            controller.enqueue(bytes(10, index));
          },
        }),
      ),
    );
    await Bun.sleep(0);
    const refused = await upload('one more', 'text/plain');
    await expectRefusal(refused, 429, 'CAT429');
    expect(refused.headers.get('retry-after')).toBe('1');
    await until('a stalled upload to make room', async () => (await upload('one more', 'text/plain')).status === 201);
    for (const controller of controllers) {
      try {
        controller.close();
      } catch {
        // The service has cancelled the stalled one.
      }
    }
    const statuses = (await Promise.all(stalled)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 503)).toHaveLength(1);
    expect(statuses.filter((status) => status === 201)).toHaveLength(MAX_UPLOADS_PER_CALLER - 1);
  });

  test('the limit of all files also holds for uploads in progress', async () => {
    const controllers: ReadableStreamDefaultController[] = [];
    const arriving = Array.from({ length: 6 }, (_, index) =>
      upload(
        new ReadableStream({
          start(controller) {
            controllers.push(controller);
            controller.enqueue(bytes(900_000, index));
          },
        }),
      ),
    );
    const rejected: number[] = [];
    for (const response of arriving) void response.then(({ status }) => rejected.push(status));
    await until('the others to be rejected', () => rejected.length === 4);
    expect(rejected).toEqual([413, 413, 413, 413]);
    for (const controller of controllers) {
      try {
        controller.close();
      } catch {
        // The service has cancelled the rejected ones.
      }
    }
    const statuses = (await Promise.all(arriving)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(2);
    expect((await upload(bytes(600_000, 7))).status).toBe(201);
  });

  test('a form has a maximum number of parts, and of bytes that are not files', async () => {
    const part = (name: string, value: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const form = (parts: readonly string[]) => upload(`${parts.join('')}--b--\r\n`, 'multipart/form-data; boundary=b');
    const file = '--b\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\nhello\r\n';
    const fields = Array.from({ length: MAX_FORM_PARTS - 1 }, (_, index) => part(`a${index}`, 'x'));
    expect((await form([...fields, file])).status).toBe(201);
    const many = await expectRefusal(await form([...fields, file, part('z', 'x')]), 400, '54000');
    expect(many.message).toContain(`${MAX_FORM_PARTS} parts`);
    await expectRefusal(await form([file, part('z', 'x'.repeat(MAX_SKIPPED_FORM_BYTES + 1))]), 400, '54000');
    expect(await shop.list('/files?select=name')).toHaveLength(1);
  });
});
