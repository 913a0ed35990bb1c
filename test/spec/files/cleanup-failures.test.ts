/** The removal of orphans fails while their storage is not available: the log says so, once for each kind of error. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { renameSync, rmSync } from 'node:fs';
import type { CollectionDraft } from '../../../src/collection/draft.ts';
import { Log } from '../../../src/observe/log.ts';
import { watchOrphans } from '../../../src/serve/orphan-watch.ts';
import { PLACES } from '../../support/engines/declared.ts';
import { newFolder } from '../../support/folders.ts';
import { type S3Server, startS3 } from '../../support/network/s3-server.ts';
import { until } from '../../support/processes/process.ts';

const COLLECTIONS: readonly CollectionDraft[] = [
  {
    name: 'products',
    key: ['id'],
    fields: [
      { name: 'id', type: 'int4' },
      { name: 'sheet', type: 'file' },
    ],
  },
];

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3();
});
afterAll(() => s3.close());

describe.each(Object.keys(PLACES))('%s: orphans that cannot be removed', (engine) => {
  test.each(['a folder', 'S3'])('in %s are logged once, and counted each time', async (kind) => {
    const folder = newFolder('catalogue-files-');
    const location = kind === 'S3' ? s3.newLocation() : folder;
    const shop = await PLACES[engine]!().open({ collections: COLLECTIONS, storage: { location, s3: s3.options } });
    const lines: string[] = [];
    const log = new Log('warn', { isPretty: false, write: (text) => lines.push(...text.trim().split('\n')) });
    const failures = () => shop.app.metrics().find(({ name }) => name === 'file_cleanup_failures_total')!.value;
    expect(await shop.app.removeOrphans()).toBe(false);
    if (kind === 'S3') await s3.stop();
    else renameSync(folder, `${folder}-away`);
    const end = watchOrphans(shop.app, log, 5);
    await until('several failures', () => failures() > 5);
    if (kind === 'S3') await s3.start();
    else renameSync(`${folder}-away`, folder);
    const before = failures();
    await until(
      'the storage to be used again',
      async () => (await shop.app.removeOrphans().catch(() => true)) === false,
    );
    expect(failures()).toBeLessThanOrEqual(before + 1);
    end();
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      level: 'warn',
      message: 'files that no row refers to could not be removed; the service tries again',
      reason: expect.stringContaining(location),
    });
    await shop.close();
    rmSync(folder, { recursive: true, force: true });
  });
});
