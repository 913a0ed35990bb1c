/** Requests for files do not hold up other requests. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { FILE_CHUNK_BYTES } from '../../../src/base/limits/files.ts';
import type { CollectionDraft } from '../../../src/collection/draft.ts';
import { type Opened, PLACES } from '../../support/engines/declared.ts';
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

describe.each(Object.keys(PLACES))('%s: requests beside those for files', (engine) => {
  let shop: Opened;
  beforeAll(async () => {
    shop = await PLACES[engine]!().open({ collections: COLLECTIONS, rows: { products: [{ id: 1 }] } });
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
});
