/** Many sizes of images at once: the originals wait on disk, and one decoding serves several sizes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_DECODED_IMAGES } from '../../../src/base/limits/files.ts';
import { newSchema, testServer } from '../../support/engines/postgres.ts';
import { gradient } from '../../support/pictures.ts';
import { cleanUp, type Service, startService, temporaryFolder, until } from '../../support/processes/process.ts';

const SIZES = ['jpeg', 'webp'].flatMap((format) =>
  [64, 128, 256, 512].map((width) => `?width=${width}&format=${format}`),
);

describe.each(['SQLite', 'PostgreSQL'])('%s: sizes that wait', (engine) => {
  let service: Service;
  beforeAll(async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'pictures.yaml'), 'collections: { products: { fields: { id: int4, image: image } } }');
    const env = engine === 'SQLite' ? {} : { DATABASE_URL: testServer.url, CATALOGUE_SCHEMA: newSchema() };
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
});
