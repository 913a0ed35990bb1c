/** Optional diagnostics of a response: its stages, its query plan and its request id. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type App, createApp } from '../../../src/app.ts';
import { BUILT_IN } from '../../../src/collection/built-in.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { requestIds } from '../../../src/observe/request-id.ts';
import { ENGINES } from '../../support/engines/catalogue.ts';
import { expectRefusal } from '../../support/stories.ts';

const PLAN = 'application/vnd.pgrst.plan+json; for="application/json"';

for (const name of Object.keys(ENGINES)) {
  describe(name, () => {
    let engine: Engine;
    const make = (options: { plans?: boolean; serverTiming?: boolean }): App =>
      createApp({
        catalogue: BUILT_IN.catalogue,
        engine,
        maxBodyBytes: 1_000_000,
        allowUnfilteredWrites: false,
        requestIds: requestIds(true),
        ...options,
      });
    const ask = (app: App, path: string, init?: RequestInit) => app.fetch(new Request(`http://test${path}`, init));

    beforeAll(async () => {
      engine = await ENGINES[name]!();
    });
    afterAll(() => engine.close());

    test('Server-Timing reports each stage of a read and of a write, only if it is enabled', async () => {
      const app = make({ serverTiming: true });
      const stages =
        /^parse;dur=[\d.]+, plan;dur=[\d.]+, transaction;dur=[\d.]+, response;dur=[\d.]+, total;dur=[\d.]+$/;
      expect((await ask(app, '/products?limit=1')).headers.get('server-timing')).toMatch(stages);
      expect((await ask(app, '/products/1')).headers.get('server-timing')).toMatch(stages);
      const patched = await ask(app, '/products/1', { method: 'PATCH', body: '{"reorder_level":10}' });
      expect(patched.headers.get('server-timing')).toMatch(stages);
      expect((await ask(make({}), '/products?limit=1')).headers.get('server-timing')).toBeNull();
    });

    test('a plan is returned instead of the rows, as JSON and as text', async () => {
      const app = make({ plans: true });
      const json = await ask(app, '/products?id=gt.5&order=unit_price', { headers: { accept: PLAN } });
      expect(json.status).toBe(200);
      expect(json.headers.get('content-type')).toBe(`${PLAN}; charset=utf-8`);
      expect(await json.json()).toEqual([expect.objectContaining({ Plan: expect.any(Object) })]);
      const text = await ask(app, '/products/1', { headers: { accept: 'application/vnd.pgrst.plan' } });
      expect(await text.text()).toContain('products');
      const log = await ask(app, '/changes?collection=eq.products', { headers: { accept: PLAN } });
      expect(await log.json()).toEqual([expect.objectContaining({ Plan: expect.any(Object) })]);
      await expectRefusal(await ask(app, '/products?nope=eq.1', { headers: { accept: PLAN } }), 400, '42703');
    });

    test.if(name !== 'PostgreSQL')(
      'SQLite reads the log by position, and the history of a row by its key',
      async () => {
        const app = make({ plans: true });
        const planOf = async (path: string) => {
          const response = await ask(app, path, { headers: { accept: 'application/vnd.pgrst.plan+text' } });
          return response.text();
        };
        for (const page of ['order=seq.desc&limit=1', 'collection=in.(products)&seq=gt.5&order=seq']) {
          const plan = await planOf(`/changes?${page}`);
          expect(plan).not.toContain('TEMP B-TREE');
          expect(plan).toContain('log');
        }
        expect(await planOf('/changes?collection=eq.products&key=eq.5')).toContain('catalogue_changes_key');
        expect(await planOf('/changes?key=eq.5&seq=lt.9')).toContain('catalogue_changes_key');
      },
    );

    test('PostgreSQL applies the options of a plan, and the response names the applied ones', async () => {
      const app = make({ plans: true });
      const accept = 'application/vnd.pgrst.plan+json; options=verbose|analyze|nothing';
      const response = await ask(app, '/products?id=lt.5', { headers: { accept } });
      const isApplied = name === 'PostgreSQL';
      const options = isApplied ? '; options=analyze|verbose' : '';
      expect(response.headers.get('content-type')).toBe(`${PLAN}${options}; charset=utf-8`);
      const [{ Plan: plan }] = (await response.json()) as [{ Plan: Record<string, unknown> }];
      expect('Actual Rows' in plan).toBe(isApplied);
      expect('Output' in plan).toBe(isApplied);
    });

    test('a plan is rejected unless the setting allows it', async () => {
      await expectRefusal(await ask(make({}), '/products', { headers: { accept: PLAN } }), 406, 'PGRST107');
    });

    test('every response, including errors, carries the request id', async () => {
      const app = make({});
      const headers = { 'x-request-id': 'mine' };
      for (const path of ['/products', '/products/1', '/products/0', '/products?x=eq.1', '/nothing']) {
        expect((await ask(app, path, { headers })).headers.get('x-request-id')).toBe('mine');
        // The second request checks that a cached response has the id of the current request.
        expect((await ask(app, path, { headers: { 'x-request-id': 'other' } })).headers.get('x-request-id')).toBe(
          'other',
        );
      }
    });
  });
}
