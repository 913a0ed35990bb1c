/**
 * Changes of a field's type on both engines. A stored value becomes what the same input would have become under the new
 * type.
 */
import { describe, expect, test } from 'bun:test';
import { createApp } from '../../../src/app.ts';
import { type Catalogue, declareCatalogue } from '../../../src/collection/declaration.ts';
import type { FieldDraft } from '../../../src/collection/draft.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { openPostgres } from '../../../src/engine/postgres/engine.ts';
import { openSqlite } from '../../../src/engine/sqlite/engine.ts';
import { NO_ROWS } from '../../../src/plan/write/first-rows.ts';
import { newSchema, TEST_SETTINGS, testServer } from '../../support/engines/postgres.ts';
import { newFile, TEST_OPTIONS } from '../../support/engines/sqlite.ts';

type Open = (catalogue: Catalogue, allowed?: readonly string[]) => Promise<Engine>;

const DATABASES: Readonly<Record<string, () => Open>> = {
  SQLite: () => {
    const path = newFile();
    return async (catalogue, allowed = []) =>
      openSqlite({ ...TEST_OPTIONS, path, catalogue, firstRows: NO_ROWS, allowed });
  },
  PostgreSQL: () => {
    const target = { ...TEST_SETTINGS, url: testServer.url, schema: newSchema(), firstRows: NO_ROWS };
    return async (catalogue, allowed = []) => {
      const engine = openPostgres({ ...target, catalogue, allowed });
      await engine.opened;
      return engine;
    };
  },
};

function declared(type: string, rules: object = {}): Catalogue {
  return declaredFields([{ name: 'v', type, ...rules }]);
}

function declaredFields(fields: readonly FieldDraft[]): Catalogue {
  return declareCatalogue({
    collections: [{ name: 'items', key: ['id'], fields: [{ name: 'id', type: 'int4' }, ...fields] }],
  });
}

/** Declares the fields v0, v1 and so on with these types. */
function ofTypes(types: readonly string[]): Catalogue {
  return declaredFields(types.map((type, at) => ({ name: `v${at}`, type })));
}

/** Conversions: the old type, the new type, the value as sent, and the value as shown after the migration. */
const CASES: readonly (readonly [from: string, to: string, sent: string, shown: string])[] = [
  ['decimal(10,2)', 'decimal(10,0)', '4.65', '5'],
  ['decimal(12,4)', 'decimal(6,2)', '12.3456', '12.35'],
  ['float8', 'decimal(18,2)', '12.3456', '12.35'],
  ['int4', 'boolean', '1', 'true'],
  ['boolean', 'text', 'true', '"t"'],
  ['text', 'json', '"[1, 2,  3]"', '[1, 2, 3]'],
  ['text', 'date', '"2024-1-5"', '"2024-01-05"'],
  ['text', 'time', '"10:00"', '"10:00:00"'],
  ['text', 'uuid', '"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"', '"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"'],
  ['text', 'text[]', '"{a,\\"b c\\"}"', '["a","b c"]'],
  ['timestamp', 'date', '"2024-01-05T10:00:00"', '"2024-01-05"'],
  ['date', 'timestamp', '"2024-01-05"', '"2024-01-05T00:00:00"'],
  ['timestamptz', 'timestamp', '"2024-01-05T10:00:00+02"', '"2024-01-05T08:00:00"'],
  ['int4[]', 'text[]', '[1,2]', '["1","2"]'],
  ['decimal(10,2)[]', 'decimal(10,0)[]', '[1.55,2.45]', '[2,2]'],
];

describe.each(Object.keys(DATABASES))('on %s', (name) => {
  async function migrated(
    before: Catalogue,
    after: Catalogue,
    sent: string,
    allowed: readonly string[],
  ): Promise<string> {
    const open = DATABASES[name]!();
    const ask = async (catalogue: Catalogue, engine: Engine, path: string, init?: RequestInit) => {
      const app = createApp({ catalogue, engine, maxBodyBytes: 1_000_000, allowUnfilteredWrites: false });
      const response = await app.fetch(new Request(`http://catalogue${path}`, init));
      await engine.close();
      return response;
    };
    const headers = { 'content-type': 'application/json' };
    const posted = await ask(before, await open(before), '/items', { method: 'POST', headers, body: sent });
    expect(posted.status).toBe(201);
    return (await ask(after, await open(after, allowed), '/items?order=id')).text();
  }

  test('a value of every type becomes the same value of another type', async () => {
    const row = (values: readonly string[]) => `{"id":1,${values.map((value, at) => `"v${at}":${value}`)}}`;
    const rows = await migrated(
      ofTypes(CASES.map(([from]) => from)),
      ofTypes(CASES.map(([, to]) => to)),
      row(CASES.map(([, , sent]) => sent)),
      CASES.map((_, at) => `convert:items.v${at}`),
    );
    expect(rows).toBe(`[${row(CASES.map(([, , , shown]) => shown))}]`);
  });

  test('a conversion that would make unique values equal fails, and nothing is converted', async () => {
    const rows = '[{"id":1,"v":4.6},{"id":2,"v":5.4}]';
    const tried = migrated(
      declared('decimal(10,2)', { unique: true }),
      declared('decimal(10,0)', { unique: true }),
      rows,
      ['convert:items.v'],
    );
    await expect(tried).rejects.toThrow('1 row repeats the v of another');
  });

  test('values that break a new pattern are cleared if that is allowed', async () => {
    const rows = '[{"id":1,"v":"AB"},{"id":2,"v":"bad one"}]';
    const shown = await migrated(declared('text'), declared('text', { pattern: '^[A-Z]+$' }), rows, ['clear:items.v']);
    expect(shown).toBe('[{"id":1,"v":"AB"},{"id":2,"v":null}]');
  });

  test('nulls are filled only if a field becomes required', async () => {
    const rows = '[{"id":1}]';
    const shown = await migrated(declared('int4'), declared('int8', { default: 7 }), rows, [
      'convert:items.v',
      'fill:items.v',
    ]);
    expect(shown).toBe('[{"id":1,"v":null}]');
  });

  test('reopening fields of these types needs no migration', async () => {
    const open = DATABASES[name]!();
    const catalogue = ofTypes(['decimal(10,2)[]', 'json[]', 'timestamptz[]', 'uuid[]']);
    await (await open(catalogue)).close();
    const again = await open(catalogue);
    expect(again.steps).toEqual([]);
    await again.close();
  });
});
