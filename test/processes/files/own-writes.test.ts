/** A request that writes and then reads sees its own write, while other requests read at the same time. */
import { afterEach, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanUp, type Service, startService, temporaryFolder } from '../../support/processes/process.ts';
import { send, sendJson } from '../../support/stories.ts';

afterEach(cleanUp);

const UPLOADS = 60;
const READERS = 4;

/** Reads with several connections without a pause, until the work is done. */
async function whileOthersRead<T>(service: Service, work: () => Promise<T>): Promise<T> {
  let isDone = false;
  const readers = Array.from({ length: READERS }, async () => {
    while (!isDone) await (await service.fetch('/docs?select=id,name&id=eq.1')).text();
  });
  try {
    return await work();
  } finally {
    isDone = true;
    await Promise.all(readers);
  }
}

test('every upload is answered with the row of its file while others read', async () => {
  const cwd = temporaryFolder();
  writeFileSync(
    join(cwd, 'collections.yaml'),
    'collections: { docs: { fields: { id: int4, name: text, body: file } } }',
  );
  const service = await startService({ cwd });
  expect((await service.fetch('/docs', sendJson('POST', [{ id: 1, name: 'a' }]))).status).toBe(201);
  const answers = await whileOthersRead(service, async () => {
    const list: { readonly status: number; readonly body: string }[] = [];
    for (let index = 0; index < UPLOADS; index++) {
      const [method, path] = index % 2 === 0 ? ['POST', '/files'] : ['PUT', '/docs/1/body'];
      const bytes = crypto.getRandomValues(new Uint8Array(500));
      const response = await service.fetch(path!, send(method!, 'application/octet-stream', bytes));
      list.push({ status: response.status, body: await response.text() });
      // A snapshot is kept while the data is unchanged.
      await Bun.sleep(60 + (index % 7) * 10);
    }
    return list;
  });
  for (const [index, { status, body }] of answers.entries()) {
    expect([status, body]).toEqual([index % 2 === 0 ? 201 : 200, expect.stringContaining('{"id":"')]);
  }
  expect(await (await service.fetch('/files?select=count()')).json()).toEqual([{ count: UPLOADS }]);
});
