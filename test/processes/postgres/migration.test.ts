/** A migration of tables in use: no client waits long for it, and it reports what it waits for. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { ReservedSQL } from 'bun';
import { createApp } from '../../../src/app.ts';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import type { FieldDraft } from '../../../src/collection/draft.ts';
import { openPostgres, type PostgresEngine } from '../../../src/engine/postgres/engine.ts';
import { NO_ROWS } from '../../../src/plan/write/first-rows.ts';
import { newSchema, TEST_SETTINGS, testServer } from '../../support/engines/postgres.ts';
import { until } from '../../support/processes/process.ts';

const { admin } = testServer;
const BEFORE: readonly FieldDraft[] = [
  { name: 'id', type: 'int4' },
  { name: 'title', type: 'text' },
];

function catalogueOf(fields: readonly FieldDraft[]) {
  return declareCatalogue({ collections: [{ name: 'books', key: ['id'], fields }] });
}

describe('a migration under load', () => {
  const schema = newSchema();
  let serving: PostgresEngine;
  let ask: (path: string, init?: RequestInit) => Promise<Response>;
  let held: ReservedSQL;

  function open(fields: readonly FieldDraft[], notices: string[] = []): PostgresEngine {
    const catalogue = catalogueOf(fields);
    const notice = (_: string, message: string) => void notices.push(message);
    // With this setting, a request that waits for two seconds fails.
    return openPostgres({
      ...TEST_SETTINGS,
      url: testServer.url,
      schema,
      catalogue,
      firstRows: NO_ROWS,
      querySeconds: 2,
      notice,
    });
  }

  beforeAll(async () => {
    serving = open(BEFORE);
    await serving.opened;
    const catalogue = catalogueOf(BEFORE);
    const app = createApp({ catalogue, engine: serving, maxBodyBytes: 1e6, allowUnfilteredWrites: false });
    ask = async (path, init) => app.fetch(new Request(`http://catalogue${path}`, init));
    held = await admin.reserve();
  });
  afterAll(async () => {
    await held.release();
    await serving.close();
  });

  const write = () =>
    ask('/books', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"title": "A"}' });

  test('waits for a slow reader with short lock attempts, says so, and completes when the reader has finished', async () => {
    await held.unsafe(`begin; select * from ${schema}.books`);
    const notices: string[] = [];
    const migrating = open([...BEFORE, { name: 'pages', type: 'int4' }], notices);
    const statuses = new Set<number>();
    await until('it to be told', async () => {
      statuses.add((await ask('/books?limit=1')).status);
      statuses.add((await write()).status);
      return notices.some((notice) => notice.includes('are in use'));
    });
    expect([...statuses].sort()).toEqual([200, 201]);
    await held.unsafe('commit');
    await migrating.opened;
    expect(migrating.steps).toEqual(['add field books.pages']);
    await migrating.close();
  });

  test('creates an index on an existing table while others write to it', async () => {
    await held.unsafe(`begin; insert into ${schema}.books (title) values ('held')`);
    const notices: string[] = [];
    const migrating = open([BEFORE[0]!, { ...BEFORE[1]!, indexed: true }, { name: 'pages', type: 'int4' }], notices);
    await until('it to begin', () => notices.some((notice) => notice.includes('creating index books_title')));
    for (let round = 0; round < 10; round++) expect((await write()).status).toBe(201);
    await held.unsafe('commit');
    await migrating.opened;
    expect(migrating.steps).toEqual(['create index books_title']);
    const [index] = await admin.unsafe(
      `select indisvalid from pg_index where indexrelid = '${schema}.books_title'::regclass`,
    );
    expect(index.indisvalid).toBe(true);
    await migrating.close();
  });
});
