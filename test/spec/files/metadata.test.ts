/** Uploaded pictures lose their metadata, and keep their pixels, colours and orientation. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { type As, declaredBy, openRoled, type Roled } from '../../support/engines/roles.ts';
import {
  gifWith,
  jpegWith,
  PROFILE,
  pngWith,
  pngWithCriticalChunk,
  SECRET,
  webpWith,
  webpWithFrames,
} from '../../support/picture-metadata.ts';
import { gradient } from '../../support/pictures.ts';
import { expectRefusal, send } from '../../support/stories.ts';

const SHOP = declaredBy(`
collections:
  products:
    fields: { id: int4, image: image, original: { type: image, keepMetadata: true } }
  scans:
    fields: { id: int4, picture: { type: 'image[]', keepMetadata: true } }
roles:
  archivist: { scans: { read: true, create: true, update: true } }
  admin: all
`);

const FORMATS = { jpeg: jpegWith, png: pngWith, webp: webpWith, gif: gifWith } as const;
type Format = keyof typeof FORMATS;

describe.each(TWO_ENGINES)('%s: metadata of pictures', (engine) => {
  let shop: Roled;
  let as: As;
  beforeAll(async () => {
    shop = await openRoled(engine, SHOP, { products: [{ id: 1 }], scans: [{ id: 1 }] });
    as = shop.as;
  });
  afterAll(() => shop.close());

  interface Stored {
    readonly id: string;
    readonly size: number;
    readonly width: number;
    readonly height: number;
  }

  const store = async (role: string, method: string, path: string, format: Format, bytes: Uint8Array) => {
    const response = await as(role, { sub: 'ada' }).fetch(path, {
      ...send(method, `image/${format}`, bytes as Uint8Array<ArrayBuffer>),
    });
    const row = (await response.json()) as Stored;
    expect([response.status, row]).toEqual([
      method === 'PUT' ? 200 : 201,
      expect.objectContaining({ id: expect.any(String) }),
    ]);
    const download = await as(role, { sub: 'ada' }).fetch(`/files/${row.id}/x`);
    return { row, stored: Buffer.from(await download.arrayBuffer()) };
  };
  const pixelsOf = (bytes: Buffer) => new Bun.Image(bytes).png({ compressionLevel: 0 }).buffer();

  describe.each(Object.keys(FORMATS) as Format[])('%s', (format) => {
    test('an upload loses place, time, comments and what follows the picture', async () => {
      for (const [method, path] of [
        ['POST', '/files'],
        ['PUT', '/products/1/image'],
      ] as const) {
        const sent = await FORMATS[format](1);
        expect(sent.includes(SECRET)).toBe(true);
        const { row, stored } = await store('admin', method, path, format, sent);
        expect(stored.length).toBe(row.size);
        expect(stored.includes(SECRET)).toBe(false);
        if (format !== 'png') expect(stored.includes(PROFILE)).toBe(true);
        else expect(stored.includes('gAMA')).toBe(true);
        expect((await pixelsOf(stored)).equals(await pixelsOf(sent))).toBe(true);
      }
    });

    if (format !== 'gif')
      test('a picture that is not upright keeps its orientation', async () => {
        for (const orientation of [3, 6]) {
          const sent = await FORMATS[format](orientation);
          const { row, stored } = await store('admin', 'POST', '/files', format, sent);
          const kept = await store('admin', 'PUT', '/products/1/original', format, sent);
          expect(stored.includes(SECRET)).toBe(false);
          // The tag, its type, its count and its value.
          const tag = Buffer.from([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation]);
          expect(stored.includes(tag)).toBe(true);
          expect([row.width, row.height]).toEqual([kept.row.width, kept.row.height]);
          expect((await pixelsOf(stored)).equals(await pixelsOf(sent))).toBe(true);
        }
      });

    test('a field with keepMetadata keeps every byte', async () => {
      const sent = await FORMATS[format](8);
      expect((await store('admin', 'PUT', '/products/1/original', format, sent)).stored.equals(sent)).toBe(true);
      // All file fields that this role may write keep it.
      expect((await store('archivist', 'POST', '/files', format, sent)).stored.equals(sent)).toBe(true);
    });

    test('damaged bytes never cause an internal error', async () => {
      const whole = await FORMATS[format](6);
      for (let index = 0; index < 150; index++) {
        const bytes = Buffer.from(whole);
        const at = (index * 7919) % bytes.length;
        if (index % 3 === 0) bytes[at] = 255;
        if (index % 3 === 1) bytes.writeUInt32BE(0xffffffff, Math.min(at, bytes.length - 4));
        const sent = index % 3 === 2 ? bytes.subarray(0, Math.max(1, at)) : bytes;
        const type = 'application/octet-stream';
        const { status } = await as('admin').fetch('/files', send('POST', type, new Uint8Array(sent)));
        expect([201, 413, 415]).toContain(status);
      }
    });
  });

  test.each([
    ['png', 'a critical chunk of no known type', pngWithCriticalChunk],
    ['webp', 'the frames of an animation in a still picture', webpWithFrames],
  ] as const)('%s: an upload loses %s', async (format, _, make) => {
    const sent = await make();
    const { stored } = await store('admin', 'POST', '/files', format, sent);
    expect([sent.includes(SECRET), stored.includes(SECRET)]).toEqual([true, false]);
    expect((await pixelsOf(stored)).equals(await pixelsOf(sent))).toBe(true);
  });

  test('a picture of very many parts is rejected before it takes time', async () => {
    const restarts = Buffer.alloc(60_000, Buffer.from([0xff, 0xd0]));
    const segments = Buffer.alloc(60_000, Buffer.from([0xff, 0xe3, 0, 2]));
    const chunks = Buffer.alloc(240_000, Buffer.from([0, 0, 0, 0, ...Buffer.from('tEXt'), 0, 0, 0, 0]));
    const [jpeg, png] = [await jpegWith(1), pngWith(1)];
    for (const sent of [
      Buffer.concat([jpeg.subarray(0, 2), restarts, jpeg.subarray(2)]),
      Buffer.concat([jpeg.subarray(0, 2), segments, jpeg.subarray(2)]),
      Buffer.concat([png.subarray(0, 33), chunks, png.subarray(33)]),
    ]) {
      const response = await as('admin').fetch('/files', send('POST', 'application/octet-stream', sent));
      expect((await expectRefusal(response, 415, 'CAT415')).message).toContain('parts');
    }
  });

  test('bytes that arrive one by one give the same file', async () => {
    for (const format of Object.keys(FORMATS) as Format[]) {
      const sent = await FORMATS[format](6);
      const { row } = await store('admin', 'POST', '/files', format, sent);
      let at = 0;
      const slow = new ReadableStream({
        pull(controller) {
          if (at === sent.length) controller.close();
          else controller.enqueue(new Uint8Array(sent.subarray(at, ++at)));
        },
      });
      const response = await as('admin').fetch('/files', {
        ...send('POST', `image/${format}`, slow),
        duplex: 'half',
      } as RequestInit);
      expect(await response.json()).toMatchObject({
        size: row.size,
        sha256: (row as never as { sha256: string }).sha256,
      });
    }
  });

  test('files without metadata, and other files, are stored as they are', async () => {
    const files = [
      ['image/png', gradient(40, 30, 9)],
      ['image/jpeg', await new Bun.Image(gradient(40, 30, 9)).jpeg().bytes()],
      ['image/webp', await new Bun.Image(gradient(40, 30, 9)).webp().bytes()],
      ['text/plain', new TextEncoder().encode('short')],
      ['text/plain', new TextEncoder().encode(`a longer text with Exif ${SECRET}`)],
    ] as const;
    for (const [type, bytes] of files) {
      const response = await as('admin').fetch('/files', send('POST', type, new Uint8Array(bytes)));
      const { sha256 } = (await response.json()) as { sha256: string };
      expect(sha256).toBe(new Bun.CryptoHasher('sha256').update(bytes).digest('hex'));
    }
  });
});
