/** Hostile files and requests: a clear 4xx, or a harmless file; never a 5xx. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { deflateSync } from 'node:zlib';
import type { CollectionDraft } from '../../../src/collection/draft.ts';
import { type Opened, PLACES } from '../../support/engines/declared.ts';
import { gradient, PICTURE, pictureOf } from '../../support/pictures.ts';
import { expectRefusal, send } from '../../support/stories.ts';

const COLLECTIONS: readonly CollectionDraft[] = [
  {
    name: 'products',
    key: ['id'],
    fields: [
      { name: 'id', type: 'int4' },
      { name: 'scan', type: 'file' },
    ],
  },
];

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));

describe.each(Object.keys(PLACES))('%s: hostile files', (engine) => {
  let shop: Opened;
  beforeAll(async () => {
    shop = await PLACES[engine]!().open({ collections: COLLECTIONS });
  });
  afterAll(() => shop.close());

  const post = (type: string, body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    shop.fetch('/files', send('POST', type, body, headers));
  const stored = async (response: Response) => {
    expect(response.status).toBe(201);
    return (await response.json()) as { id: string; name: string; media_type: string };
  };

  test('scripts that begin like images are not images', async () => {
    for (const [type, text] of [
      ['image/gif', 'GIF89a/*\0\0\0*/=1;alert(1)'],
      ['image/png', '\x89PNG\r\n\x1a\n<script>alert(1)</script>'],
      ['image/jpeg', '\xff\xd8\xff\xe0<?php system($_GET[0]); ?>'],
      // Nothing of it but its start is left without its metadata.
      ['image/jpeg', '\xff\xd8\xff\xe1<?php system($_GET[0]); ?>'],
      ['image/webp', 'RIFF\x10\0\0\0WEBPVP8 <script>'],
    ] as const) {
      for (const named of [type, '']) {
        const response = await post(named, bytesOf(text));
        // Text in place of the header may claim too many pixels.
        expect([413, 415]).toContain(response.status);
        await expectRefusal(response, response.status, `CAT${response.status}`);
      }
    }
  });

  test('a picture with a page behind it stays a picture', async () => {
    const polyglot = new Uint8Array(Buffer.concat([PICTURE, Buffer.from('<script>alert(1)</script>')]));
    await expectRefusal(await post('text/html', polyglot), 415, 'CAT415');
    const { id } = await stored(await post('image/png', polyglot));
    const response = await shop.fetch(`/files/${id}/page.html`);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-security-policy')).toStartWith("sandbox; default-src 'none'");
  });

  test('images of too many pixels, or of more data than pixels, are rejected before they take memory', async () => {
    const before = process.memoryUsage.rss();
    for (const [width, height] of [
      [100_000, 100_000],
      [2_147_483_647, 2_147_483_647],
      [1, 2_000_000_000],
      [0, 0],
    ] as const) {
      expect([413, 415]).toContain((await post('image/png', pictureOf(width, height))).status);
    }
    // 100 MB of zeros behind a picture of one pixel.
    const zeros = await post('image/png', pictureOf(1, 1, new Uint8Array(100_000_000)));
    expect([201, 413, 415]).toContain(zeros.status);
    expect(process.memoryUsage.rss() - before).toBeLessThan(800_000_000);
  });

  test('an archive is stored as it is, and never unpacked', async () => {
    const bomb = new Uint8Array(
      Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), deflateSync(new Uint8Array(50_000_000))]),
    );
    const { id, media_type } = await stored(await post('', bomb));
    expect(media_type).toBe('application/zip');
    expect((await shop.fetch(`/files/${id}/x`)).headers.get('content-disposition')).toStartWith('attachment;');
  });

  test('names cannot leave their folder, header or line', async () => {
    for (const [sent, name] of [
      ['filename="../../../etc/passwd"', 'passwd'],
      ['filename="C:\\\\Windows\\\\win.ini"', 'win.ini'],
      ['filename="a%0d%0aSet-Cookie: x=1.png"', 'a%0d%0aSet-Cookie: x=1.png'],
      ["filename*=UTF-8''a%0d%0aSet-Cookie%3A%20x.png", 'aSet-Cookie: x.png'],
      ["filename*=UTF-8''%E2%80%AEgnp.exe", 'gnp.exe'],
      ['filename*=UTF-8\'\'%ff%fe; filename="plain.png"', 'plain.png'],
      // curl and others send the bytes of the terminal, as UTF-8; some programs send Latin-1.
      [`filename="${Buffer.from('Büchse 漢.png').toString('latin1')}"`, 'Büchse 漢.png'],
      ['filename="Büchse.png"', 'Büchse.png'],
      ['filename=".."', 'file'],
      ['filename=""', 'file'],
      [`filename="${'x'.repeat(5_000)}"`, 'x'.repeat(200)],
    ] as const) {
      const file = await stored(await post('image/png', PICTURE, { 'content-disposition': `attachment; ${sent}` }));
      expect(file.name).toBe(name);
      const response = await shop.fetch(`/files/${file.id}/..%2f..%2fetc%2fpasswd`);
      expect(response.status).toBe(200);
      expect(response.headers.get('set-cookie')).toBeNull();
      expect(response.headers.get('content-disposition')).toMatch(
        /^inline; filename="[^"]*"; filename\*=UTF-8''[^ ;"]*$/,
      );
    }
  });

  test('forms that do not follow their format are rejected', async () => {
    const form = (body: string, boundary = 'b') => post(`multipart/form-data; boundary=${boundary}`, bytesOf(body));
    const part = '--b\r\nContent-Disposition: form-data; name="f"; filename="x.txt"\r\n\r\nhello\r\n';
    for (const body of [
      `${part}`,
      `${part}--bX`,
      `--b\r\n${'X-A: 1\r\n'.repeat(5_000)}\r\nx\r\n--b--`,
      '--b\r\nno colon\r\n\r\nx\r\n--b--',
      '--b--',
      '--b\r\nContent-Disposition: form-data; name="f"\r\n\r\nx\r\n--b--',
      '\0'.repeat(100_000),
    ]) {
      await expectRefusal(await form(body), 400, 'PGRST102');
    }
    await expectRefusal(await form(`${part.repeat(60)}--b--`), 400, '54000');
    await expectRefusal(await form(part, 'x'.repeat(71)), 400, 'PGRST102');
    expect((await form(`preamble\r\n${part}--b--\r\nepilogue`)).status).toBe(201);
  });

  test('odd headers and paths get an answer below 500', async () => {
    const { id } = await stored(await post('image/png', gradient(33, 22)));
    for (const range of [
      'bytes=99999999999999999999-',
      'bytes=-0',
      'bytes=--1',
      'bytes=a-b',
      'rows=0-1',
      'bytes=0-1,2-3',
    ]) {
      expect((await shop.fetch(`/files/${id}/x`, { headers: { range } })).status).toBeLessThan(500);
    }
    for (const path of [
      '/files/',
      `/files/${id}/`,
      `/files/${id}/a/b`,
      `/files/%00/x`,
      `/files/${id}/%ff`,
      '/files//x',
    ]) {
      expect((await shop.fetch(path)).status).toBeLessThan(500);
    }
    for (const type of ['x', 'image/png; charset=\u00e9', 'text/plain,image/png', '/', `${'a'.repeat(500)}/b`]) {
      expect((await post(type, PICTURE)).status).toBeLessThan(500);
    }
    await expectRefusal(await post('image/png', PICTURE, { 'content-encoding': 'gzip' }), 415, 'CAT415');
    await expectRefusal(await post('image/png', PICTURE, { prefer: 'tx=rollback' }), 400, 'PGRST127');
  });
});
