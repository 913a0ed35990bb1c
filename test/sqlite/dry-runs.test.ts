/** A costly dry run stores nothing, and so it gives way to others: it is undone, and begun anew after them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { parsePrefer } from '../../src/dialect/prefer.ts';
import { parseQuery } from '../../src/dialect/query.ts';
import { applyJobs } from '../../src/engine/sqlite/apply.ts';
import { Connection } from '../../src/engine/sqlite/connection.ts';
import { stepsSpent } from '../../src/engine/sqlite/deadline.ts';
import { IN_MEMORY } from '../../src/engine/sqlite/files.ts';
import { openSqlite } from '../../src/engine/sqlite/index.ts';
import { compileJob, type Job } from '../../src/engine/sqlite/jobs.ts';
import { prepareSchema } from '../../src/engine/sqlite/migrate.ts';
import { negotiate } from '../../src/http/negotiate.ts';
import { atOnce } from '../../src/in-pieces.ts';
import { planWrite, type WriteMethod } from '../../src/plan/write.ts';
import { encodingOf } from '../../src/response/body.ts';
import { type Catalogue, catalogueOn } from '../support/catalogue.ts';
import { beginningWith, newFile, TEST_OPTIONS } from '../support/sqlite.ts';
import { sendJson } from '../support/stories.ts';

const ROWS = 2_000;
const STEPS_OF_A_ROW = 256;
const rows = Array.from({ length: ROWS }, (_, index) => ({ id: index + 1, product_name: `Jar ${index}` }));
const { catalogue } = TEST_OPTIONS;
const products = catalogue.collections.get('products')!;

function jobOf(method: WriteMethod, query: string, value?: unknown, prefer = 'tx=rollback'): Job {
  const request = {
    query: parseQuery(query),
    preferences: parsePrefer(prefer),
    singular: false,
    allowUnfiltered: false,
    createOnly: false,
  };
  const plan = atOnce(planWrite(products, method, request, value === undefined ? undefined : { kind: 'json', value }));
  return atOnce(compileJob(plan, encodingOf(negotiate(null), [])));
}

describe('a dry run', () => {
  const givesWayTo = new Int32Array(1);
  const bounds = { retryHours: 1, querySeconds: 10, commitSeconds: 1, givesWayTo };
  let connection: Connection;
  beforeAll(() => {
    connection = new Connection(IN_MEMORY, {
      prepare: (db) => void prepareSchema(db, { catalogue, firstRows: beginningWith(rows) }),
    });
  });
  afterAll(() => connection.close());
  const stored = () => connection.values({ sql: 'select id, unit_price from products', params: [] });
  const apply = (job: Job, others: 0 | 1) => {
    givesWayTo[0] = others;
    return applyJobs(connection, catalogue, [job], bounds)[0]!;
  };

  const added = rows.map(({ id, product_name }) => ({ id: id + ROWS, product_name }));
  const changes = rows.map(({ id }) => ({ id, unit_price: id }));

  test.each([
    ['a PATCH', () => jobOf('PATCH', 'id=gt.0', { unit_price: 3 })],
    [
      'a PATCH that returns them',
      () => jobOf('PATCH', 'id=gt.0', { unit_price: 3 }, 'tx=rollback, return=representation'),
    ],
    ['a DELETE', () => jobOf('DELETE', 'id=gt.0')],
    ['a POST', () => jobOf('POST', '', added)],
    ['an upsert', () => jobOf('POST', '', rows, 'tx=rollback, resolution=merge-duplicates')],
    ['a bulk update', () => jobOf('PATCH', '', changes)],
  ])('of %s gives way after few of its rows, and begins anew with what is left of its time', (_, job) => {
    const before = stored();
    const spent = stepsSpent();
    const outcome = apply(job(), 1);
    if (outcome.kind !== 'gave-way') throw new Error(outcome.kind);
    expect(outcome.leftMs).toBeGreaterThan(0);
    expect(outcome.leftMs).toBeLessThan(10_000);
    expect((stepsSpent() - spent) / STEPS_OF_A_ROW).toBeLessThan(ROWS);
    expect([stored(), connection.inTransaction]).toEqual([before, false]);

    expect(apply({ ...job(), leftMs: outcome.leftMs }, 0)).toMatchObject({ kind: 'done', result: { affected: ROWS } });
    expect([stored(), connection.inTransaction]).toEqual([before, false]);
  });

  test('that had no time left says that others were writing', () => {
    const job = { ...jobOf('PATCH', 'id=gt.0', { unit_price: 3 }), leftMs: 0 };
    expect(apply(job, 0)).toMatchObject({ kind: 'refused', code: '57014', details: expect.stringContaining('Others') });
  });

  test('remembers nothing for its Idempotency-Key when it gives way, nor when it is done', () => {
    const retry = { key: 'once', fingerprint: 'a', owner: '', maxAnswerBytes: 1_000 };
    const job = { ...jobOf('PATCH', 'id=gt.0', { unit_price: 3 }), retry };
    expect(apply(job, 1).kind).toBe('gave-way');
    expect(apply(job, 0)).toMatchObject({ kind: 'done' });
    const stores = { ...jobOf('PATCH', 'id=eq.1', { unit_price: 3 }, ''), retry };
    expect(apply(stores, 0)).toEqual({ kind: 'done', result: { affected: 1, inserted: 0 } });
    expect(apply(stores, 0)).toEqual({ kind: 'done', result: { affected: 1, inserted: 0, replayed: true } });
  });

  test('alone gives way: a write that stores something goes on', () => {
    expect(apply(jobOf('PATCH', 'id=gt.0', { unit_price: 5 }, ''), 1)).toMatchObject({
      kind: 'done',
      result: { affected: ROWS },
    });
    expect(stored().every(([, price]) => price === 5)).toBe(true);
  });
});

describe('beside a dry run that takes longer than it may', () => {
  const long = Array.from({ length: 20 }, (_, index) => ({
    id: index + 1,
    product_name: 'Long',
    quantity_per_unit: `z${'ab'.repeat(400_000)}`,
  }));
  // About a second for each of the texts.
  const tests = Array.from({ length: 30 }, (_, index) => `quantity_per_unit=not.match.(a|b|ab)*[xyz]{${index + 1}}$`);
  let served: Catalogue;
  beforeAll(() => {
    served = catalogueOn(
      openSqlite({ ...TEST_OPTIONS, querySeconds: 2, path: newFile(), firstRows: beginningWith(long) }),
    );
  });
  afterAll(() => served.close());

  test('writes are carried out, and the dry run is told that it gave way', async () => {
    const path = `/products?${tests.join('&')}`;
    let isAnswered = false;
    const dryRun = served.fetch(path, sendJson('PATCH', { unit_price: 3 }, { prefer: 'tx=rollback' })).finally(() => {
      isAnswered = true;
    });
    let price = 0;
    while (!isAnswered) {
      const write = await served.fetch('/products?id=eq.1', sendJson('PATCH', { unit_price: ++price }));
      expect(write.status).toBe(204);
    }
    const answer = await dryRun;
    expect([answer.status, await answer.json()]).toEqual([
      504,
      expect.objectContaining({ code: '57014', details: expect.stringContaining('gives way') }),
    ]);
    expect(await (await served.fetch('/products?unit_price=not.is.null&select=id,unit_price')).json()).toEqual([
      { id: 1, unit_price: price },
    ]);
  });
});
