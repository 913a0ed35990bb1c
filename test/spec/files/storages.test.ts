/** The same stories for every storage of files: the database, a folder, and S3. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import type { CollectionDraft } from '../../../src/collection/draft.ts';
import { FileRecords } from '../../../src/files/records.ts';
import { openStorage, type StorageOptions } from '../../../src/files/storage/identity.ts';
import { checkContents } from '../../../src/files/storage/transfer.ts';
import { FileStore } from '../../../src/files/store.ts';
import { type Opened, PLACES, type Place } from '../../support/engines/declared.ts';
import { newFolder } from '../../support/folders.ts';
import { type S3Server, startS3 } from '../../support/network/s3-server.ts';
import { gradient } from '../../support/pictures.ts';
import { expectRefusal, send, sendJson } from '../../support/stories.ts';

const COLLECTIONS: readonly CollectionDraft[] = [
  {
    name: 'products',
    key: ['id'],
    fields: [
      { name: 'id', type: 'int4' },
      { name: 'images', type: 'image[]' },
      { name: 'sheet', type: 'file' },
    ],
  },
];
/** More than one part of an upload to S3. */
const LARGE = Buffer.alloc(5_500_000, 'several parts of a long file ');
const ALL = [...Object.keys(PLACES)].flatMap((engine) =>
  ['database', 'folder', 'S3'].map((kind) => [engine, kind] as const),
);

let s3: S3Server;
/** Uploads to S3 are collected here. */
const temporary = newFolder('catalogue-temporary-');
const { TMPDIR } = process.env;
beforeAll(async () => {
  process.env.TMPDIR = temporary;
  s3 = await startS3();
});
const folders: string[] = [temporary];
afterAll(async () => {
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  await s3.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newLocation(kind: string): string {
  if (kind !== 'folder') return kind === 'S3' ? s3.newLocation() : '';
  const folder = newFolder('catalogue-files-');
  folders.push(folder);
  return folder;
}

/** The objects of a storage on the disk, without marker and metadata. */
function objects(location: string): string[] {
  const folder = location.startsWith('s3:') ? s3.folderOf(location) : location;
  const names = readdirSync(folder, { recursive: true }) as string[];
  return names
    .map((name) => join(folder, name))
    .filter((path) => /[0-9a-f]{64}\.[0-9a-f-]{36}(\._S3rver_object)?$/.test(path))
    .filter((path) => statSync(path).isFile());
}

describe.each(ALL)('%s, files in %s', (engine, kind) => {
  let place: Place;
  let shop: Opened;
  let location: string;
  const open = (at: string, more: StorageOptions = {}) =>
    place.open({
      collections: COLLECTIONS,
      rows: { products: [{ id: 1 }, { id: 2 }] },
      storage: { location: at, s3: s3.options, ...more },
      options: { maxFileBytes: 8_000_000 },
    });
  beforeAll(async () => {
    location = newLocation(kind);
    place = PLACES[engine]!();
    shop = await open(location);
  });
  afterAll(() => shop.close());

  const upload = async (bytes: Uint8Array<ArrayBuffer>, type = 'text/plain'): Promise<string> => {
    const response = await shop.fetch('/files', send('POST', type, bytes));
    expect(response.status).toBe(201);
    return ((await response.json()) as { id: string }).id;
  };
  const bytesOf = async (id: string, init: RequestInit = {}) =>
    Buffer.from(await (await shop.fetch(`/files/${id}/x`, init)).arrayBuffer());
  const age = engine === 'SQLite' ? "'2020-01-01T00:00:00+00:00'" : "'2020-01-01'::timestamptz";
  const sweep = async (now?: number) => {
    while (await shop.app.removeOrphans(now));
  };

  test('a shop uploads, downloads, reads ranges, resizes, and finds all again after a restart', async () => {
    const picture = gradient(300, 200);
    const image = await upload(picture, 'image/png');
    const sheet = await upload(LARGE);
    expect((await shop.fetch('/products/1', sendJson('PATCH', { images: [image], sheet }))).status).toBe(204);
    const appended = await shop.fetch('/products/1/images', send('POST', 'image/png', gradient(30, 20, 1)));
    expect(appended.status).toBe(201);
    const thumbnail = async () => (await shop.fetch(`/files/${image}/x?width=64&format=webp`)).arrayBuffer();
    const small = await thumbnail();
    await shop.close();
    shop = await open('');
    expect(await bytesOf(image)).toEqual(Buffer.from(picture));
    expect(Bun.hash(await bytesOf(sheet))).toBe(Bun.hash(LARGE));
    const part = await bytesOf(sheet, { headers: { range: 'bytes=5242870-5242899' } });
    expect(part).toEqual(LARGE.subarray(5_242_870, 5_242_900));
    expect(await thumbnail()).toEqual(small);
    // The same bytes are stored once: two pictures, the sheet and the thumbnail.
    await upload(LARGE);
    expect(Number((await place.ask('select count(*) as n from catalogue_file_contents'))[0]!.n)).toBe(4);
    const chunks = Number((await place.ask('select count(*) as n from catalogue_file_chunks'))[0]!.n);
    if (kind === 'database') expect(chunks).toBeGreaterThan(4);
    else expect([chunks, objects(location).length]).toEqual([0, 4]);
    if (kind !== 'database') expect(readdirSync(kind === 'S3' ? temporary : join(location, 'tmp'))).toEqual([]);
  });

  test('bytes are removed after their rows, and what an interrupted upload left', async () => {
    const kept = await upload(gradient(20, 20, 7), 'image/png');
    const orphan = await upload(LARGE.subarray(0, 600_000));
    await shop.fetch('/products/2', sendJson('PATCH', { images: [kept] }));
    let pieces = 0;
    const broken = new ReadableStream({
      pull(controller) {
        if (++pieces > 6) controller.error(new Error('gone'));
        else controller.enqueue(new Uint8Array(100_000).fill(pieces));
      },
    });
    const init = { ...send('POST', '', broken), duplex: 'half' } as RequestInit;
    await expectRefusal(await shop.fetch('/files', init), 400, 'PGRST102');
    if (kind === 'folder') expect(readdirSync(join(location, 'tmp'))).toEqual([]);
    if (kind !== 'database') {
      const name = `00/${'0'.repeat(64)}.${crypto.randomUUID()}`;
      if (kind === 'folder') await Bun.write(join(location, name), 'half');
      else await new Bun.S3Client({ ...s3.options, bucket: 'shop' }).write(`${location.slice(10)}/${name}`, 'half');
      const left = objects(location).find((path) => path.includes(name))!;
      await sweep();
      expect(existsSync(left)).toBe(true);
      await sweep(Date.now() + 25 * 3_600_000);
      expect(existsSync(left)).toBe(false);
    }
    for (let round = 0; round < 2; round++) {
      await place.ask(`update catalogue_files set created_at = ${age}`);
      await place.ask(`update catalogue_file_contents set created_at = ${age}`);
      await sweep();
      await place.ask(`update catalogue_files set orphaned_at = ${age} where orphaned_at is not null`);
    }
    await sweep();
    expect((await shop.fetch(`/files/${orphan}/x`)).status).toBe(404);
    expect(await bytesOf(kept)).toEqual(Buffer.from(gradient(20, 20, 7)));
    const contents = Number((await place.ask('select count(*) as n from catalogue_file_contents'))[0]!.n);
    if (kind !== 'database') expect(objects(location).length).toBe(contents);
  });

  test('check finds missing and damaged bytes', async () => {
    const [damaged, missing] = [await upload(LARGE.subarray(1, 400_000)), await upload(LARGE.subarray(2, 400_000))];
    const catalogue = declareCatalogue({ collections: COLLECTIONS });
    const check = async () => {
      const storage = await openStorage(new FileRecords(shop.engine, catalogue), '', { s3: s3.options });
      return checkContents(new FileStore(shop.engine, catalogue, () => storage));
    };
    expect(await check()).toMatchObject({ check: 'files', ok: true });
    const content = async (id: string) =>
      String((await place.ask(`select content as c from catalogue_files where id = '${id}'`))[0]!.c);
    const [one, two] = [await content(damaged), await content(missing)];
    if (kind === 'database') {
      const zero = engine === 'SQLite' ? 'zeroblob(5)' : "'\\x0000000000'::bytea";
      await place.ask(`update catalogue_file_chunks set data = ${zero} where content = '${one}' and position = 1`);
      await place.ask(`delete from catalogue_file_chunks where content = '${two}'`);
    } else {
      const find = (id: string) => objects(location).find((path) => path.includes(id))!;
      writeFileSync(find(one), Buffer.alloc(399_999));
      rmSync(find(two));
    }
    const finding = await check();
    expect(finding.ok).toBe(false);
    expect(finding.detail).toContain(damaged);
    expect(finding.detail).toContain(missing);
    await expectRefusal(await shop.fetch(`/files/${missing}/x`), 503, 'CAT503');
  });

  const testOutside = kind === 'database' ? () => undefined : test;
  testOutside('a storage that is gone fails requests for files only', async () => {
    const known = await upload(LARGE.subarray(3, 1_500_000));
    const files = async () => Number((await place.ask('select count(*) as n from catalogue_files'))[0]!.n);
    const before = await files();
    const away = `${location}-away`;
    if (kind === 'S3') await s3.stop();
    else renameSync(location, away);
    for (const bytes of [gradient(9, 9, 3), LARGE.subarray(4)]) {
      await expectRefusal(await shop.fetch('/files', send('POST', '', bytes)), 503, 'CAT503');
      const appended = await shop.fetch('/products/1/images', send('POST', '', gradient(9, 9, 4)));
      await expectRefusal(appended, 503, 'CAT503');
    }
    const read = await shop.fetch(`/files/${known}/x`, { headers: { range: 'bytes=0-5' } });
    await expectRefusal(read, 503, 'CAT503');
    expect(await shop.list('/products?select=id&order=id')).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await files()).toBe(before);
    // A service starts without S3. A folder without its mark may be a different one, so a start fails.
    const warnings: string[] = [];
    const second = await open('', { warn: (message) => warnings.push(message) }).catch((error: Error) => error);
    if (second instanceof Error) expect(second.message).toContain('catalogue-files is missing');
    else expect(warnings).toEqual([expect.stringContaining('requests for files fail')]);
    expect(second instanceof Error).toBe(kind === 'folder');
    if (kind === 'S3') await s3.start();
    else renameSync(away, location);
    expect((await shop.fetch('/files', send('POST', '', gradient(9, 9, 3)))).status).toBe(201);
    expect((await bytesOf(known)).length).toBe(1_499_997);
    if (second instanceof Error) return;
    expect((await second.fetch(`/files/${known}/x`)).status).toBe(200);
    await second.close();
  });

  test('another storage than before is rejected with advice', async () => {
    await shop.close();
    const other = newLocation(kind === 'S3' ? 'folder' : 'S3');
    const refusal = async (at: string) =>
      open(at).then(
        () => 'opened',
        (error: Error) => error.message,
      );
    expect(await refusal(other)).toContain(`catalogue copy --to-files ${other}`);
    if (kind !== 'database') {
      const taken = newLocation(kind);
      const second = await PLACES[engine]!().open({
        collections: COLLECTIONS,
        storage: { location: taken, s3: s3.options },
      });
      await second.close();
      expect(await refusal(taken)).toContain(`in ${location}, and --files names ${taken}`);
    }
    shop = await open('');
    expect((await shop.fetch('/files')).status).toBe(200);
  });
});

test.each(Object.keys(PLACES))('%s: a full disk rejects an upload and leaves nothing', async (engine) => {
  const place = PLACES[engine]!();
  const location = newLocation('folder');
  const shop = await place.open({ collections: COLLECTIONS, storage: { location } });
  const limit = (bytes: string) =>
    Bun.spawnSync(['prlimit', '--pid', String(process.pid), `--fsize=${bytes}:unlimited`]);
  const upload = () => shop.fetch('/files', send('POST', '', LARGE));
  limit('3000000');
  try {
    await expectRefusal(await upload(), 507, 'CAT507');
    expect((await shop.fetch('/products')).status).toBe(200);
  } finally {
    limit('unlimited');
  }
  expect(await shop.list('/files')).toEqual([]);
  expect(readdirSync(join(location, 'tmp'))).toEqual([]);
  expect((await upload()).status).toBe(201);
  await shop.close();
});
