/** A schema that something else made, described and served as `catalogue declare` and `serve` do. */
import { afterAll, beforeAll } from 'bun:test';
import { createApp } from '../../../src/app.ts';
import { defined } from '../../../src/base/defined.ts';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import type { CollectionDraft, RoleDraft } from '../../../src/collection/draft.ts';
import { describeDatabase } from '../../../src/engine/open.ts';
import { openPostgres, type PostgresEngine } from '../../../src/engine/postgres/engine.ts';
import type { DescribedDatabase } from '../../../src/engine/shared/describe-table.ts';
import { NO_ROWS } from '../../../src/plan/write/first-rows.ts';
import { newSchema, TEST_SETTINGS, testServer } from './postgres.ts';
import { identify } from './roles.ts';

const { url, admin } = testServer;
const SETTINGS = {
  ...TEST_SETTINGS,
  collections: '',
  replicas: [],
  replicaLagSeconds: 10,
  idempotencyHours: 24,
  historyDays: 30,
};

export interface AdoptedSchema {
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  /** The rows of a successful read. */
  readonly list: (path: string) => Promise<unknown>;
  readonly described: () => DescribedDatabase;
  readonly draft: (name: string) => CollectionDraft;
}

/** All tests of a file share the schema, which `sql` makes. With roles, request headers name the caller. */
export function adoptedSchema(sql: string, roles?: readonly RoleDraft[]): AdoptedSchema {
  const schema = newSchema();
  let described: DescribedDatabase;
  let engine: PostgresEngine;
  let app: ReturnType<typeof createApp>;
  beforeAll(async () => {
    await admin.unsafe(`create schema "${schema}"`);
    await admin.begin(async (transaction) => {
      await transaction.unsafe(`set local search_path = "${schema}"`);
      await transaction.unsafe(sql);
    });
    described = await describeDatabase(url, { ...SETTINGS, schema });
    const collections = described.collections.map(({ draft }) => draft);
    const catalogue = declareCatalogue(defined({ collections, functions: described.functions, roles }));
    engine = openPostgres({ ...SETTINGS, url, schema, catalogue, firstRows: NO_ROWS });
    await engine.opened;
    const options = { maxBodyBytes: 1024 * 1024, allowUnfilteredWrites: false };
    app = createApp({ catalogue, engine, ...options, ...(roles && { identify }) });
  });
  afterAll(() => engine.close());
  const fetch: AdoptedSchema['fetch'] = async (path, init) => app.fetch(new Request(`http://catalogue${path}`, init));
  return {
    fetch,
    list: async (path) => {
      const response = await fetch(path);
      const body = await response.json();
      if (!response.ok) throw new Error(`${path}: ${JSON.stringify(body)}`);
      return body;
    },
    described: () => described,
    draft: (name) => described.collections.find(({ draft }) => draft.name === name)!.draft,
  };
}
