/** Requests for files do not hold up other requests. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { FILE_CHUNK_BYTES, MAX_IMAGE_PIXELS, MAX_WAITING_PIXELS } from '../../../src/base/limits/files.ts';
import type { Caller } from '../../../src/collection/access/caller.ts';
import type { CollectionDraft } from '../../../src/collection/draft.ts';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { type Opened, PLACES, type Place } from '../../support/engines/declared.ts';
import { declaredBy, openRoled, type Roled } from '../../support/engines/roles.ts';
import { gradient, pictureOf } from '../../support/pictures.ts';
import { until } from '../../support/processes/process.ts';
import { send } from '../../support/stories.ts';

const COLLECTIONS: readonly CollectionDraft[] = [
  {
    name: 'products',
    key: ['id'],
    fields: [
      { name: 'id', type: 'int4' },
      { name: 'image', type: 'image' },
      { name: 'manual', type: 'file' },
    ],
  },
];
const CHUNKS = 24;
const MAX_RESIZED = 60_000;
const QUERIES = ['webp', 'jpeg', 'png'].flatMap((format) =>
  [64, 128, 256, 512].map((width) => `?width=${width}&format=${format}`),
);

describe.each(Object.keys(PLACES))('%s: requests beside those for files', (engine) => {
  let place: Place;
  let shop: Opened;
  beforeAll(async () => {
    place = PLACES[engine]!();
    const options = { maxResizedBytes: MAX_RESIZED };
    shop = await place.open({ collections: COLLECTIONS, rows: { products: [{ id: 1 }] }, options });
  });
  afterAll(() => shop.close());

  const upload = async (body: Uint8Array<ArrayBuffer>, type: string) => {
    const response = await shop.fetch('/files', send('POST', type, body));
    return `/files/${((await response.json()) as { id: string }).id}/x`;
  };

  test('are answered between the parts of downloads', async () => {
    const bytes = new Uint8Array(CHUNKS * FILE_CHUNK_BYTES);
    for (let at = 0; at < bytes.length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
    const path = await upload(bytes, 'application/octet-stream');
    let areDownloading = true;
    const downloads = Promise.all(
      Array.from({ length: 4 }, async () => new Uint8Array(await (await shop.fetch(path)).arrayBuffer())),
    ).finally(() => (areDownloading = false));
    let answered = 0;
    while (areDownloading) {
      // A request from another connection begins in a later turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      expect((await shop.fetch('/products/1')).status).toBe(200);
      answered++;
    }
    for (const each of await downloads) expect(Buffer.compare(each, bytes)).toBe(0);
    expect(answered).toBeGreaterThanOrEqual(CHUNKS);
  });

  test('resized images have limited space, and the oldest make room', async () => {
    const path = await upload(gradient(700, 500), 'image/png');
    const [first] = QUERIES;
    const bytesOf = async (query: string) => {
      const response = await shop.fetch(path + query);
      expect(response.status).toBe(200);
      return Bun.hash(await response.arrayBuffer());
    };
    const before = await bytesOf(first!);
    const sizes =
      'select sum(size) as n from catalogue_file_contents where id in (select variant from catalogue_file_variants)';
    const stored = async () => Number((await place.ask(sizes))[0]!.n);
    for (const query of QUERIES) {
      await bytesOf(query);
      await until('room for the next one', async () => (await stored()) <= MAX_RESIZED);
    }
    expect(await stored()).toBeGreaterThan(0);
    const variants = await place.ask('select form from catalogue_file_variants');
    expect(variants.length).toBeLessThan(QUERIES.length);
    expect(variants.map(({ form }) => form)).not.toContain('64x-webp');
    const unused = `select count(*) as n from catalogue_file_contents where id not in
      (select variant from catalogue_file_variants) and id not in (select content from catalogue_files)`;
    await until('the contents to be removed', async () => Number((await place.ask(unused))[0]!.n) === 0);
    expect(await bytesOf(first!)).toBe(before);
  });

  test('a resized image that is larger than the space is answered', async () => {
    const [width, height] = [700, 500];
    const rows = Buffer.alloc((width * 3 + 1) * height);
    for (let row = 0; row < height; row++)
      crypto.getRandomValues(rows.subarray(row * (width * 3 + 1) + 1, (row + 1) * (width * 3 + 1)));
    for (let seed = 0; seed < 3; seed++) {
      rows[1] = seed;
      const response = await shop.fetch(
        `${await upload(pictureOf(width, height, rows), 'image/png')}?width=512&format=png`,
      );
      const { length } = await response.bytes();
      expect({ status: response.status, isLong: length > FILE_CHUNK_BYTES }).toEqual({ status: 200, isLong: true });
    }
  });
});

const ROLED = declaredBy(`
collections: { products: { fields: { id: int4, image: image } } }
roles:
  writer: { products: { read: true, create: true, update: true } }
`);

describe.each(TWO_ENGINES)('%s: callers with images', (engine) => {
  let shop: Roled;
  beforeAll(async () => {
    const identify = ({ headers }: Pick<Request, 'headers'>): Caller => ({
      role: 'writer',
      claims: {},
      identity: headers.get('x-role')!,
    });
    shop = await openRoled(engine, ROLED, {}, { identify });
  });
  afterAll(() => shop.close());

  test('take turns: one with many images does not make another wait for all of them', async () => {
    const upload = (who: string, picture: Uint8Array<ArrayBuffer>) =>
      shop.as(who).fetch('/files', send('POST', 'image/png', picture));
    const pictures = Array.from({ length: 20 }, (_, seed) => gradient(500, 500, seed));
    let answered = 0;
    const many = Promise.all(
      pictures.map(async (picture) => {
        const { status } = await upload('many', picture);
        answered++;
        return status;
      }),
    );
    expect((await upload('one', gradient(20, 20))).status).toBe(201);
    expect(answered).toBeLessThan(pictures.length / 2);
    expect(new Set(await many)).toEqual(new Set([201]));
  });

  test('have limited pixels that wait, and another caller is not affected', async () => {
    // It has no pixels, so that it is rejected in its turn.
    const huge = (index: number) => Buffer.concat([pictureOf(10_000, 10_000), Buffer.from(`${index}`)]);
    const answers = Promise.all(
      Array.from({ length: MAX_WAITING_PIXELS / MAX_IMAGE_PIXELS + 5 }, (_, index) =>
        shop.as('many').fetch('/files', send('POST', 'image/png', huge(index))),
      ),
    );
    expect((await shop.as('one').fetch('/files', send('POST', 'image/png', gradient(20, 21)))).status).toBe(201);
    const statuses = (await answers).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([415, 429]));
    expect(statuses.filter((status) => status === 429).length).toBeLessThanOrEqual(5);
  });
});
