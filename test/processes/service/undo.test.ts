/** An undo of many changes whose process is killed in the middle: the same request to the next process completes it. */
import { afterEach, describe, expect, test } from 'bun:test';
import { DATABASES } from '../../support/processes/databases.ts';
import { cleanUp, startService, temporaryFolder } from '../../support/processes/process.ts';
import { sendJson } from '../../support/stories.ts';

const MANY = 1_500;

afterEach(cleanUp);

describe.each(DATABASES)('an undo on %s', (_, environment) => {
  test('is completed after kill -9, and no change is reverted twice', async () => {
    const place = { cwd: temporaryFolder(), env: environment(), args: ['--log-level', 'error'] };
    const first = await startService(place);
    const rows = Array.from({ length: MANY }, (_each, at) => ({ id: 1_000 + at, product_name: 'old' }));
    expect((await first.fetch('/products', sendJson('POST', rows))).status).toBe(201);
    const headers = { 'x-request-id': 'bulk' };
    await first.fetch('/products?id=gte.1000', sendJson('PATCH', { product_name: 'new' }, headers));
    const path = '/changes/undo?request_id=eq.bulk';
    const streamed = await first.fetch(path, { method: 'POST', headers: { accept: 'application/x-ndjson' } });
    const reader = streamed.body!.getReader();
    await reader.read();
    first.kill('SIGKILL');
    await first.exited;
    await reader.cancel().catch(() => undefined);
    const second = await startService(place);
    const count = async (filter: string) => {
      const [found] = (await (await second.fetch(`/products?select=count()&${filter}`)).json()) as [{ count: number }];
      return found.count;
    };
    const before = await count('product_name=eq.old');
    expect(before).toBeGreaterThan(0);
    expect(before % 500).toBe(0);
    const answer = (await (await second.fetch(path, { method: 'POST' })).json()) as unknown;
    expect(answer).toEqual({ undone: MANY - before, undone_before: before, skipped: [] });
    expect(await count('product_name=eq.old')).toBe(MANY);
    const logged = await second.fetch('/changes?select=count()&kind=eq.update');
    expect(await logged.json()).toEqual([{ count: 2 * MANY }]);
  });
});
