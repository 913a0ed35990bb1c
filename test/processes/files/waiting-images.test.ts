/** Many sizes of images at once: the originals wait on disk, and one decoding serves several sizes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { MAX_DECODED_IMAGES } from '../../../src/base/limits/files.ts';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { gradient } from '../../support/pictures.ts';
import { cleanUp, type Service, startService, temporaryFolder, until } from '../../support/processes/process.ts';

const SIZES = ['jpeg', 'webp'].flatMap((format) =>
  [64, 128, 256, 512].map((width) => `?width=${width}&format=${format}`),
);

describe.each(['SQLite', 'PostgreSQL'])('%s: sizes that wait', (engine) => {
  let service: Service;
  const schema = newSchema();
  beforeAll(async () => {
    const cwd = temporaryFolder();
    writeFileSync(
      join(cwd, 'pictures.yaml'),
      'collections: { products: { fields: { id: int4, name: text, image: image } } }',
    );
    const env = engine === 'SQLite' ? {} : { DATABASE_URL: testServer.url, CATALOGUE_SCHEMA: schema };
    service = await startService({ cwd, env, args: ['--collections', 'pictures.yaml'] });
  });
  afterAll(cleanUp);

  const metric = async (name: string) => {
    const text = await (await service.fetch('/metrics')).text();
    return Number(new RegExp(`^catalogue_${name} (\\d+)$`, 'm').exec(text)![1]);
  };
  const upload = async (seed: number) => {
    const response = await service.fetch('/files', { method: 'POST', body: gradient(600, 400, seed) });
    return `/files/${((await response.json()) as { id: string }).id}/x`;
  };
  const show = async (path: string) => {
    const response = await service.fetch(path);
    await response.arrayBuffer();
    expect(response.status).toBe(200);
  };

  test('of one image share its decodings', async () => {
    let seed = 0;
    await until('a decoding that serves several sizes', async () => {
      const path = await upload(++seed);
      await Promise.all(SIZES.map((size) => show(path + size)));
      return (await metric('images_decoded_total')) < (await metric('images_resized_total'));
    });
    expect(await metric('images_resized_total')).toBe(seed * SIZES.length);
  });

  test('of many images are loaded a few at a time', async () => {
    const paths: string[] = [];
    for (let seed = 100; seed < 116; seed++) paths.push(await upload(seed));
    let areShown = false;
    const shown = Promise.all(paths.map((path) => show(path + SIZES[0]))).finally(() => {
      areShown = true;
    });
    let most = 0;
    while (!areShown) most = Math.max(most, await metric('images_in_memory'));
    await shown;
    expect(most).toBeLessThanOrEqual(MAX_DECODED_IMAGES);
  });

  test.if(engine === 'PostgreSQL')('do not wait for costly reads of others', async () => {
    const path = await upload(200);
    const admin = new SQL(testServer.url, { max: 1 });
    const { costly } = await admin.begin(async (transaction) => {
      await transaction.unsafe(`lock table ${schema}.products in access exclusive mode`);
      const costly = Array.from({ length: 4 }, async () => (await service.fetch('/products?name=match.x')).status);
      const waiting = `select count(*)::int4 as reads from pg_locks where not granted
        and relation = '${schema}.products'::regclass`;
      await until('costly reads to wait', async () => (await transaction.unsafe(waiting))[0].reads > 0);
      for (const size of SIZES) await show(path + size);
      return { costly };
    });
    expect(await Promise.all(costly)).toEqual([200, 200, 200, 200]);
    await admin.close();
  });
});
