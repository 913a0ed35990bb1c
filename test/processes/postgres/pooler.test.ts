/** A pooler between the service and PostgreSQL: the service checks it at the start, and an error names the remedy. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createApp } from '../../../src/app.ts';
import { BUILT_IN } from '../../../src/collection/built-in.ts';
import type { PostgresOptions } from '../../../src/engine/postgres/database.ts';
import { openPostgres } from '../../../src/engine/postgres/engine.ts';
import { firstRowsOf } from '../../../src/plan/write/first-rows.ts';
import { newSchema, TEST_SETTINGS, testServer } from '../../support/engines/postgres.ts';
import { type Pooler, startPooler } from '../../support/network/pooler.ts';

const serverPort = Number(new URL(testServer.url).port || 5432);

describe('behind a pooler', () => {
  const schema = newSchema();
  let pooler: Pooler;

  beforeAll(async () => {
    pooler = await startPooler(serverPort);
  });
  afterAll(() => pooler.close());

  function open(port: number, more: Partial<PostgresOptions> = {}) {
    const url = testServer.url.replace(/@[^/]*/, `@127.0.0.1:${port}`);
    return openPostgres({ ...TEST_SETTINGS, url, schema, firstRows: firstRowsOf(BUILT_IN), ...more });
  }

  const refusalOf = (opened: Promise<void>) =>
    opened.then(
      () => 'it starts',
      (error: Error) => error.message,
    );

  test('that mixes up prepared statements, the start fails and names the remedy', async () => {
    const engine = open(pooler.port);
    const refusal = await refusalOf(engine.opened);
    expect(refusal).toContain('the pooler mixes up prepared statements');
    expect(refusal).toContain('--prepared-statements off');
    await engine.close();
  });

  test('the service works without prepared statements', async () => {
    const engine = open(pooler.port, { preparedStatements: false });
    await engine.opened;
    const app = createApp({ catalogue: BUILT_IN.catalogue, engine, maxBodyBytes: 1e6, allowUnfilteredWrites: false });
    const ask = async (path: string, init?: RequestInit) => app.fetch(new Request(`http://catalogue${path}`, init));
    const reads = Array.from({ length: 60 }, async (_, index) => {
      const response = await ask(index % 2 === 0 ? `/products?id=eq.${index + 1}` : `/products/${index + 1}`);
      const body = await response.json();
      return (index % 2 === 0 ? (body as [{ id: number }])[0] : (body as { id: number })).id === index + 1;
    });
    expect(await Promise.all(reads)).toEqual(reads.map(() => true));
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'through a pooler' };
    const post = () => ask('/products', { method: 'POST', headers, body: '{"product_name": "through a pooler"}' });
    expect((await post()).status).toBe(201);
    expect((await post()).headers.get('idempotency-replayed')).toBe('true');
    const priced = await ask('/products?select=id,unit_price,quantity_per_unit&unit_price=gt.100&order=id');
    expect(await priced.json()).toEqual([
      { id: 29, unit_price: 123.79, quantity_per_unit: '50 bags x 30 sausgs.' },
      { id: 38, unit_price: 263.5, quantity_per_unit: '12 - 75 cl bottles' },
    ]);
    await engine.close();
  });

  test('that rejects a startup parameter, the start also fails and names the remedy', async () => {
    const strict = await startPooler(serverPort, 'statement_timeout');
    const engine = open(strict.port);
    const refusal = await refusalOf(engine.opened);
    expect(refusal).toContain('rejects the startup parameter statement_timeout');
    expect(refusal).toContain('ignore_startup_parameters = search_path,statement_timeout,');
    await engine.close();
    strict.close();
  });
});
