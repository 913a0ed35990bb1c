/** Files and images: upload, download, references and embedding, on every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { CollectionDraft } from '../../../src/collection/draft.ts';
import { type Opened, PLACES, type Place } from '../../support/engines/declared.ts';
import { PICTURE, pictureOf } from '../../support/pictures.ts';
import { expectRefusal, send, sendJson } from '../../support/stories.ts';

const COLLECTIONS: readonly CollectionDraft[] = [
  {
    name: 'products',
    key: ['id'],
    fields: [
      { name: 'id', type: 'int4' },
      { name: 'name', type: 'text' },
      { name: 'image', type: 'image' },
      { name: 'sheet', type: 'file' },
    ],
  },
];

interface FileRow {
  readonly id: string;
  readonly name: string;
  readonly media_type: string;
  readonly size: number;
  readonly sha256: string;
  readonly width: number | null;
}

const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
const named = (name: string) => ({ 'content-disposition': `attachment; filename="${name}"` });

/** Bytes of no known type that do not repeat. */
function noise(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let state = 1;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = state >>> 16;
  }
  return bytes;
}

/** Triggers that remove files at once, so that a read after the commit does not find them. */
const REMOVE_NEW_FILES: Readonly<Record<string, readonly [create: string, drop: string]>> = {
  SQLite: [
    'create trigger gone after insert on catalogue_files begin delete from catalogue_files where id = new.id; end',
    'drop trigger gone',
  ],
  PostgreSQL: [
    `create function gone() returns trigger language plpgsql as
      $$ begin delete from catalogue_files where id = new.id; return null; end $$;
      create trigger gone after insert on catalogue_files for each row execute function gone()`,
    'drop function gone() cascade',
  ],
};

describe.each(Object.keys(PLACES))('%s: files', (engine) => {
  let place: Place;
  let shop: Opened;
  beforeAll(async () => {
    place = PLACES[engine]!();
    shop = await place.open({
      collections: COLLECTIONS,
      rows: {
        products: [
          { id: 1, name: 'Tea' },
          { id: 2, name: 'Cup' },
        ],
      },
    });
  });
  afterAll(() => shop.close());

  const upload = async (bytes: Uint8Array<ArrayBuffer>, type: string, name: string): Promise<FileRow> => {
    const response = await shop.fetch('/files', send('POST', type, bytes, named(name)));
    expect({ status: response.status, body: response.status === 201 ? '' : await response.clone().text() }).toEqual({
      status: 201,
      body: '',
    });
    return (await response.json()) as FileRow;
  };

  test('a shop uploads a picture, sets it, and embeds it', async () => {
    const response = await shop.fetch('/files', send('POST', 'image/png', PICTURE, named('tea.png')));
    expect(response.status).toBe(201);
    const file = (await response.json()) as FileRow;
    expect(file).toMatchObject({
      name: 'tea.png',
      media_type: 'image/png',
      size: PICTURE.length,
      sha256: sha256(PICTURE),
      width: 40,
      height: 30,
      placeholder: expect.stringContaining('data:image/'),
      created_by: null,
    });
    expect(Object.keys(file)).not.toContain('content');
    expect(response.headers.get('location')).toBe(`/files/${file.id}/tea.png`);
    expect(await shop.list(`/files?id=eq.${file.id}`)).toEqual([file as never]);

    const changed = await shop.fetch('/products?id=eq.1', sendJson('PATCH', { image: file.id }));
    expect(changed.status).toBe(204);
    expect(await shop.list('/products?id=eq.1&select=name,image(name,width,height)')).toEqual([
      { name: 'Tea', image: { name: 'tea.png', width: 40, height: 30 } } as never,
    ]);
    expect(await shop.list('/products?select=id,image!inner(name)&image.media_type=eq.image/png&id=eq.1')).toHaveLength(
      1,
    );
  });

  test('the answer to an upload is the row, and needs no read after the commit', async () => {
    for (const [type, body] of [
      ['image/png', PICTURE],
      ['text/plain', 'é'],
    ] as const) {
      const answer = (await (await shop.fetch('/files', send('POST', type, body))).json()) as FileRow;
      expect(Object.entries(answer)).toEqual(Object.entries((await shop.list(`/files?id=eq.${answer.id}`))[0]!));
    }
    const [create, drop] = REMOVE_NEW_FILES[engine]!;
    await place.ask(create);
    try {
      const response = await shop.fetch('/files', send('POST', 'text/plain', 'gone', named('gone.txt')));
      expect([response.status, await response.json()]).toMatchObject([201, { name: 'gone.txt', size: 4 }]);
    } finally {
      await place.ask(drop);
    }
  });

  test('a download has the same bytes and headers that keep it safe', async () => {
    const encoded = { 'content-disposition': "attachment; filename*=UTF-8''a%20%22b%22%20%C3%BC.png" };
    const stored = await shop.fetch('/files', send('POST', 'image/png', PICTURE, encoded));
    const { id, name, sha256: hash } = (await stored.json()) as FileRow;
    expect(name).toBe('a "b" ü.png');
    const response = await shop.fetch(`/files/${id}/any-name.png`, { headers: { 'accept-encoding': 'gzip' } });
    expect(response.status).toBe(200);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(PICTURE);
    const header = (name: string) => response.headers.get(name);
    expect(header('content-type')).toBe('image/png');
    expect(header('etag')).toBe(`"${hash}"`);
    expect(header('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(header('x-content-type-options')).toBe('nosniff');
    expect(header('content-security-policy')).toContain('sandbox');
    expect(header('content-disposition')).toBe(
      `inline; filename="a _b_ _.png"; filename*=UTF-8''a%20%22b%22%20%C3%BC.png`,
    );
    const again = await shop.fetch(`/files/${id}/x`, { headers: { 'if-none-match': `"${hash}"` } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const head = await shop.fetch(`/catalogue/files/${id}/x`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(PICTURE.length)]);
  });

  test('a client reads ranges of a file of several chunks', async () => {
    const bytes = noise(1_400_000);
    const { id, size, media_type } = await upload(bytes, 'application/x-noise', 'noise.bin');
    expect([size, media_type]).toEqual([1_400_000, 'application/x-noise']);
    const get = async (range?: string) =>
      shop.fetch(`/files/${id}/noise.bin`, range === undefined ? {} : { headers: { range } });
    const whole = await get();
    expect(sha256(new Uint8Array(await whole.arrayBuffer()))).toBe(sha256(bytes));
    expect(whole.headers.get('content-disposition')).toStartWith('attachment;');
    for (const [range, start, end] of [
      ['bytes=0-0', 0, 1],
      ['bytes=262143-262145', 262_143, 262_146],
      ['bytes=1399990-', 1_399_990, 1_400_000],
      ['bytes=-5', 1_399_995, 1_400_000],
      ['bytes=100000-1399999', 100_000, 1_400_000],
      ['bytes=5-99999999', 5, 1_400_000],
    ] as const) {
      const part = await get(range);
      expect([range, part.status, part.headers.get('content-range')]).toEqual([
        range,
        206,
        `bytes ${start}-${end - 1}/1400000`,
      ]);
      expect(sha256(new Uint8Array(await part.arrayBuffer()))).toBe(sha256(bytes.subarray(start, end)));
    }
    await expectRefusal(await get('bytes=1400000-'), 416, 'PGRST103');
    expect((await get('bytes=5-2')).status).toBe(200);
    expect((await get('bytes=0-1,4-5')).status).toBe(200);
  });

  test('a browser form uploads several files at once', async () => {
    const form = new FormData();
    form.append('note', 'not a file');
    form.append('one', new File([PICTURE], 'one.png', { type: 'image/png' }));
    form.append('two', new File(['\r\n--not a delimiter\r\n'], '../../etc/pass\r\nwd.txt', { type: 'text/plain' }));
    form.append('three', new File([noise(700_000)], 'three.bin'));
    const response = await shop.fetch('/files', { method: 'POST', body: form });
    expect(response.status).toBe(201);
    const files = (await response.json()) as FileRow[];
    expect(files.map(({ name, size, media_type }) => [name, size, media_type])).toEqual([
      ['one.png', PICTURE.length, 'image/png'],
      ['passwd.txt', 21, 'text/plain'],
      ['three.bin', 700_000, 'application/octet-stream'],
    ]);
    const text = await shop.fetch(`/files/${files[1]!.id}/x`);
    expect(await text.text()).toBe('\r\n--not a delimiter\r\n');
  });

  test('the same bytes are stored once', async () => {
    const bytes = noise(600_000);
    const all = await Promise.all(['a', 'b', 'c'].map((name) => upload(bytes, 'application/x-noise', name)));
    expect(new Set(all.map(({ id }) => id)).size).toBe(3);
    const hash = sha256(bytes);
    const contents = await place.ask(`select count(*) as n from catalogue_file_contents where sha256 = '${hash}'`);
    expect(Number(contents[0]!.n)).toBe(1);
    const chunks = await place.ask(
      `select count(*) as n from catalogue_file_chunks where content = (select id from catalogue_file_contents where sha256 = '${hash}')`,
    );
    expect(Number(chunks[0]!.n)).toBe(3);
    const unfinished = await place.ask('select count(*) as n from catalogue_file_contents where sha256 is null');
    expect(Number(unfinished[0]!.n)).toBe(0);
  });

  test('bytes of another type than the named one are rejected', async () => {
    const refused = async (bytes: Uint8Array<ArrayBuffer>, type: string) =>
      expectRefusal(await shop.fetch('/files', send('POST', type, bytes)), 415, 'CAT415');
    const before = await shop.list('/files?select=count()');
    await refused(PICTURE, 'image/jpeg');
    await refused(PICTURE, 'text/plain');
    await refused(new TextEncoder().encode('<html>hello'), 'image/png');
    await refused(noise(300_000), 'image/png');
    await refused(noise(20), 'text/html');
    // A damaged picture, and one that claims to be huge.
    await refused(new Uint8Array(PICTURE.subarray(0, 60)), 'image/png');
    const huge = await shop.fetch('/files', send('POST', 'image/png', pictureOf(100_000, 100_000)));
    await expectRefusal(huge, 413, 'CAT413');
    expect(await shop.list('/files?select=count()')).toEqual(before);
  });

  test('SVG and HTML are never shown inline', async () => {
    const svg = new TextEncoder().encode('<?xml version="1.0"?><!-- x --><svg xmlns="http://www.w3.org/2000/svg"/>');
    for (const [bytes, type] of [
      [svg, 'image/svg+xml'],
      [new TextEncoder().encode('<script>alert(1)</script>'), 'text/html'],
    ] as const) {
      const { id, media_type } = await upload(bytes, type, 'x');
      expect(media_type).toBe(type);
      const response = await shop.fetch(`/files/${id}/x.html`);
      expect(response.headers.get('content-disposition')).toStartWith('attachment;');
    }
  });

  test('a field takes only files that exist, and an image field only images', async () => {
    const text = await upload(new TextEncoder().encode('how to brew'), 'text/plain', 'sheet.txt');
    const wrong = await shop.fetch('/products?id=eq.2', sendJson('PATCH', { image: text.id }));
    expect(await expectRefusal(wrong, 400, '23514')).toMatchObject({ field: 'image' });
    const unknown = '00000000-0000-4000-8000-000000000000';
    for (const init of [sendJson('PATCH', { sheet: unknown })]) {
      await expectRefusal(await shop.fetch('/products?id=eq.2', init), 409, '23503');
    }
    const listed = await shop.fetch(
      '/products',
      sendJson('POST', [
        { id: 8, image: null },
        { id: 9, image: text.id },
      ]),
    );
    expect(await expectRefusal(listed, 400, '23514')).toMatchObject({ index: 1, field: 'image' });
    await expectRefusal(await shop.fetch('/products?id=eq.2', sendJson('PATCH', { sheet: 'x' })), 400, '22P02');
    expect((await shop.fetch('/products?id=eq.2', sendJson('PATCH', { sheet: text.id }))).status).toBe(204);
    expect(await shop.list('/products?id=eq.2&select=sheet(name)')).toEqual([
      { sheet: { name: 'sheet.txt' } } as never,
    ]);
  });

  test('files have no other writes, and internal tables no path', async () => {
    const { id } = await upload(PICTURE, '', 'x.png');
    await expectRefusal(await shop.fetch(`/files/${id}`, { method: 'DELETE' }), 405, 'PGRST117');
    await expectRefusal(await shop.fetch('/files', sendJson('PATCH', { name: 'y' })), 405, 'PGRST117');
    const batch = [{ method: 'POST', path: '/files', body: {} }];
    expect((await shop.fetch('/batch', sendJson('POST', batch))).status).toBe(405);
    for (const name of ['catalogue_files', 'catalogue_file_chunks', 'catalogue_file_contents']) {
      await expectRefusal(await shop.fetch(`/${name}`), 404, 'PGRST205');
    }
    const missing = await shop.fetch('/files/00000000-0000-4000-8000-000000000000');
    expect((await expectRefusal(missing, 404, 'CAT404')).hint).toBe('List the rows: /files');
    expect((await expectRefusal(await shop.fetch(`/files/${id}/`), 404, 'PGRST125')).hint).toBe(
      'Available: /files and /files/<id>, without a trailing slash.',
    );
    await expectRefusal(await shop.fetch('/files/not-an-id/x'), 404, 'CAT404');
    await expectRefusal(await shop.fetch('/files/00000000-0000-4000-8000-000000000000/x'), 404, 'CAT404');
    await expectRefusal(await shop.fetch('/files', { method: 'POST' }), 400, 'PGRST102');
  });

  test('a batch cannot put an unchecked file into a field', async () => {
    const { id } = await upload(noise(20), 'application/octet-stream', 'noise.bin');
    const batch = [
      { method: 'PATCH', path: '/products/1', body: { name: id } },
      { method: 'PATCH', path: '/products/2', body: { image: { $from: 0, field: 'name' } } },
    ];
    const response = await shop.fetch('/batch', sendJson('POST', batch));
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { code: '22P02', field: 'image', value: { $from: 0, field: 'name' }, request: 1 },
    ]);
    expect(await shop.list('/products?id=eq.2&select=image')).toEqual([{ image: null }]);
  });
});

describe.each(Object.keys(PLACES))('%s: a catalogue without file fields', (engine) => {
  test('has no files and no tables for them', async () => {
    const place = PLACES[engine]!();
    const shop = await place.open({
      collections: [{ name: 'things', key: ['id'], fields: [{ name: 'id', type: 'int4' }] }],
    });
    await expectRefusal(await shop.fetch('/files'), 404, 'PGRST205');
    await expectRefusal(await shop.fetch('/files', send('POST', 'image/png', PICTURE)), 404, 'PGRST205');
    await expect(place.ask('select 1 from catalogue_files')).rejects.toThrow();
    await shop.close();
  });

  test('gets them with the first file field, and keeps its own collection of that name', async () => {
    const place = PLACES[engine]!();
    const files: CollectionDraft = { name: 'files', key: ['id'], fields: [{ name: 'id', type: 'int4' }] };
    const before = await place.open({ collections: [files], rows: { files: [{ id: 7 }] } });
    await before.close();
    const after = {
      collections: [
        {
          ...files,
          fields: [...files.fields, { name: 'scan', type: 'file' }, { name: 'pages', type: 'file[]', maxCount: 2 }],
        },
      ],
    };
    const shop = await place.open(after);
    const response = await shop.fetch('/catalogue/files', send('POST', 'image/png', PICTURE));
    expect(response.status).toBe(201);
    expect(response.headers.get('location')).toStartWith('/catalogue/files/');
    const { id } = (await response.json()) as FileRow;
    await shop.fetch('/files?id=eq.7', sendJson('PATCH', { scan: id }));
    expect(await shop.list('/files?select=id,scan(size)')).toEqual([
      { id: 7, scan: { size: PICTURE.length } } as never,
    ]);
    await shop.close();
    // Opened again: the declaration is in place.
    const plan = await place.plan(after);
    expect(plan).toEqual({ steps: [], problems: [] });
  });
});
