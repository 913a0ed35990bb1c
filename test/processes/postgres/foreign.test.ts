/**
 * PostgreSQL tables that another program created: `catalogue declare` declares them, and the service serves them in
 * place.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../../src/app.ts';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import type { CollectionDraft } from '../../../src/collection/draft.ts';
import type { Row } from '../../../src/collection/value.ts';
import { readDeclaration } from '../../../src/declare/read.ts';
import { describeDatabase } from '../../../src/engine/open.ts';
import { openPostgres, type PostgresEngine } from '../../../src/engine/postgres/engine.ts';
import { NO_ROWS } from '../../../src/plan/write/first-rows.ts';
import { newSchema, TEST_SETTINGS, testServer } from '../../support/engines/postgres.ts';
import { cleanUp, run, startService, temporaryFolder } from '../../support/processes/process.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const { url, admin } = testServer;
const SETTINGS = {
  ...TEST_SETTINGS,
  collections: '',
  replicas: [],
  replicaLagSeconds: 10,
  idempotencyHours: 24,
  historyDays: 30,
};

const TABLES = `
  create type mood as enum ('calm', 'wild');
  create domain cents as integer check (value >= 0);
  create table countries (code char(2) primary key, country varchar(30) collate "und-x-icu" not null);
  create table makers (
    maker_id smallserial primary key,
    maker varchar(20) not null constraint the_makers_name unique,
    country char(2) constraint made_in references countries,
    since_year integer default 2000 check (since_year >= 1900 and since_year <= 2100),
    mood mood not null default 'calm',
    token text not null default md5(random()::text));
  create table boats (
    id integer generated always as identity primary key,
    boat text not null,
    kind varchar not null default 'sail' check (kind in ('sail', 'motor')),
    maker_id smallint references makers on delete set null,
    length_m numeric(6,2) check (length_m > 0),
    weight numeric,
    price cents,
    price_text text generated always as (price::text || ' ct') stored,
    details json,
    address inet,
    "Old Name" text,
    unique (boat, maker_id));
  create index boats_by_length on boats (length_m);
  create index boats_old on boats (lower(boat));
  create table trips (
    boat_id integer not null, day integer not null, miles real not null, boat_name text, maker_id smallint,
    primary key (boat_id, day), check (miles < day * 1000),
    foreign key (boat_id) references boats on delete cascade,
    foreign key (boat_name, maker_id) references boats (boat, maker_id));
  create table trips_day (id integer primary key, "limit" integer, twice_the_length_of_what_is_needed_here integer unique check (twice_the_length_of_what_is_needed_here > 0));
  create index on trips (day);
  create table berths (
    berth integer primary key, boat_id integer references boats on delete restrict, place text,
    constraint one_at_a_place exclude using btree (place with =));
  create function no_night() returns trigger language plpgsql as
    $$ begin if new.place = 'night' then raise exception 'closed at night' using hint = 'Come by day.'; end if;
    if new.place = 'full' then raise exception 'could not extend file "base/16384/24576"' using errcode = '53100'; end if; return new; end $$;
  create trigger no_night before insert on berths for each row execute function no_night();
  create function next_pass() returns bigint language sql as 'select 4611686018427387905';
  create table passes (id bigint primary key default next_pass(), "class" integer default 2, day date, fee numeric(6,2));
  create table flags (id integer primary key default 7, flag text);
  create table "Logs" (id integer primary key);
  create table notes (note text);
  create view fleet as select boat from boats;
  insert into passes values (1, 1, '0044-03-15 BC', 'NaN'), (2, 1, '12024-01-01', 2), (3, 1, '2024-01-01', 1), (4, 1, null, null);
  insert into countries values ('FI', 'Finland'), ('NO', 'Norge'), ('SE', 'Sverige');
  insert into makers (maker, country, mood) values ('Baltic', 'FI', 'wild'), ('Åland', 'SE', 'calm'), ('Zephyr', null, 'calm');
  insert into boats (boat, maker_id, length_m, weight, price, details, address) values
    ('Swan', 1, 12.5, 9000.125, 100, '{"b": 1, "a": [1]}', '10.0.0.1'), ('ånd', 2, null, null, null, null, null);
  insert into trips values (1, 1, 10.5, 'Swan', 1), (1, 2, 20, null, null), (2, 1, 5, null, null)`;

/** Lists everything in a schema, to show that nothing has changed. */
async function makeUp(schema: string): Promise<unknown> {
  return admin.unsafe(`select c.relname, c.relkind, c.relfilenode, c.relacl::text, c.reltriggers,
      array(select row(a.attname, a.atttypid, a.attnotnull, a.attcollation)::text from pg_attribute a where a.attrelid = c.oid order by a.attnum) as columns,
      array(select pg_get_constraintdef(k.oid) from pg_constraint k where k.conrelid = c.oid order by 1) as constraints
    from (select *, (select count(*) from pg_trigger t where t.tgrelid = oid)::int4 as reltriggers from pg_class) c
    where relnamespace = '"${schema}"'::regnamespace and relkind not in ('S') order by 1`);
}

test('a numbered key that is also a reference is declared as filled in by the database', async () => {
  const schema = newSchema();
  await admin.unsafe(`create schema "${schema}";
    create table "${schema}".boats (id serial primary key);
    create table "${schema}".plans (id serial primary key references "${schema}".boats, plan text);`);
  const { collections } = await describeDatabase(url, { ...SETTINGS, schema });
  const keys = collections.map(({ draft }) => draft.fields.find(({ name }) => name === 'id'));
  expect(keys).toEqual([
    { name: 'id', type: 'int4' },
    { name: 'id', type: 'int4', filled: true, references: { collection: 'boats', onDelete: 'restrict' } },
  ]);
});

describe('a schema created by another program', () => {
  const schema = newSchema();
  let drafts: readonly CollectionDraft[];
  let before: unknown;
  let engine: PostgresEngine;
  let fetch: (path: string, init?: RequestInit) => Promise<Response>;
  const list = async (path: string) => (await (await fetch(path)).json()) as Row[];
  const withRow = { prefer: 'return=representation' };

  beforeAll(async () => {
    await admin.unsafe(`create schema "${schema}"`);
    await admin.begin(async (transaction) => {
      await transaction.unsafe(`set local search_path = "${schema}"`);
      await transaction.unsafe(TABLES);
    });
    before = await makeUp(schema);
    const described = await describeDatabase(url, { ...SETTINGS, schema });
    drafts = described.collections.map(({ draft }) => draft);
    const catalogue = declareCatalogue({ collections: drafts });
    engine = openPostgres({ ...SETTINGS, url, schema, catalogue, firstRows: NO_ROWS });
    await engine.opened;
    const app = createApp({ catalogue, engine, maxBodyBytes: 1024 * 1024, allowUnfilteredWrites: false });
    fetch = async (path, init) => app.fetch(new Request(`http://catalogue${path}`, init));
  });
  afterAll(async () => {
    await engine.close();
    await cleanUp();
  });

  test('is declared with keys, references, unique fields, rules, defaults and indexes; the database keeps its types', () => {
    const of = (name: string) => drafts.find((draft) => draft.name === name)!;
    expect(drafts.map(({ name }) => name)).toEqual([
      'Logs',
      'berths',
      'boats',
      'countries',
      'flags',
      'fleet',
      'makers',
      'notes',
      'passes',
      'trips',
      'trips_day',
    ]);
    expect(of('boats')).toEqual({
      name: 'boats',
      key: ['id'],
      fields: [
        { name: 'id', type: 'int4' },
        { name: 'boat', type: 'text', required: true },
        { name: 'kind', type: 'text', required: true, default: 'sail', oneOf: ['sail', 'motor'] },
        { name: 'maker_id', type: 'int2', references: { collection: 'makers', onDelete: 'set null' } },
        { name: 'length_m', type: 'decimal(6,2)', indexed: true },
        { name: 'weight', type: 'numeric' },
        { name: 'price', type: 'int4' },
        { name: 'price_text', type: 'text', readOnly: true },
        { name: 'details', type: 'json' },
        { name: 'address', type: 'pg:inet' },
        { name: 'Old Name', type: 'text' },
      ],
      unique: [['boat', 'maker_id']],
    });
    expect(of('makers').fields).toEqual([
      { name: 'maker_id', type: 'int2', filled: true },
      { name: 'maker', type: 'text', required: true, unique: true },
      {
        name: 'country',
        type: 'text',
        references: { collection: 'countries', onDelete: 'restrict', constraint: 'made_in' },
      },
      { name: 'since_year', type: 'int4', default: 2000, minimum: 1900, maximum: 2100 },
      { name: 'mood', type: 'pg:mood', required: true, default: 'calm', oneOf: ['calm', 'wild'] },
      { name: 'token', type: 'text', required: true, filled: true },
    ]);
    expect(of('trips').key).toEqual(['boat_id', 'day']);
    expect(of('trips').fields[0]!.references).toEqual({ collection: 'boats', onDelete: 'cascade' });
  });

  test('is read unchanged, whatever its types and collations', async () => {
    expect(engine.steps).toEqual([]);
    expect(await list('/boats?order=id')).toEqual([
      {
        id: 1,
        boat: 'Swan',
        kind: 'sail',
        maker_id: 1,
        length_m: 12.5,
        weight: 9000.125,
        price: 100,
        price_text: '100 ct',
        details: { a: [1], b: 1 },
        address: '10.0.0.1',
        'Old Name': null,
      } as unknown as Row,
      expect.objectContaining({ id: 2, boat: 'ånd', weight: null, details: null }),
    ]);
    expect(await list('/makers?select=maker,mood&mood=eq.wild')).toEqual([{ maker: 'Baltic', mood: 'wild' }]);
    expect(await list('/makers?select=maker&mood=in.(wild)')).toEqual([{ maker: 'Baltic' }]);
    await expectRefusal(await fetch('/makers?mood=in.(wild,odd)'), 400, '22P02');
    expect(await list('/boats?select=id&address=lt.10.0.0.2')).toEqual([{ id: 1 }]);
    await expectRefusal(await fetch('/boats?select=id&address=like.10.*'), 400, '42883');
    expect(await list('/boats?select=id&details->>b=eq.1')).toEqual([{ id: 1 }]);
    expect(await list('/countries?select=country&order=country.desc&country=gte.G')).toEqual([
      { country: 'Sverige' },
      { country: 'Norge' },
    ]);
    expect(await (await fetch('/countries/FI')).json()).toEqual({ code: 'FI', country: 'Finland' });
    expect(await list('/trips?select=boat_id,miles.sum()&order=boat_id')).toEqual([
      { boat_id: 1, sum: 30.5 },
      { boat_id: 2, sum: 5 },
    ] as unknown as Row[]);
    expect((await list('/boats?select=*&order=boat.asc&limit=1'))[0]).toHaveProperty('address');
  });

  test.each(['day', 'day.desc', 'fee', 'fee.desc.nullslast'])(
    'has consecutive pages by %s, past values that the service would not store',
    async (order) => {
      const shown: unknown[] = [];
      let next: string | undefined = `/passes?select=id&order=${order}&limit=1`;
      while (next !== undefined && shown.length < 9) {
        const page: Response = await fetch(next);
        expect(page.status).toBe(200);
        shown.push(...((await page.json()) as Row[]));
        next = /<([^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
      }
      expect(shown).toEqual(await list(`/passes?select=id&order=${order}`));
    },
  );

  test('supports filters for NaN and Infinity', async () => {
    expect(await list('/passes?select=id,fee&fee=eq.NaN')).toEqual([{ id: 1, fee: 'NaN' }] as unknown as Row[]);
    expect(await list('/passes?select=id&fee=in.(NaN,1)')).toEqual([{ id: 1 }, { id: 3 }]);
    expect(await list('/passes?select=id&fee=lte.Infinity')).toEqual([{ id: 2 }, { id: 3 }]);
    expect(await list('/passes?select=id&fee=gt.1e400')).toEqual([{ id: 1 }]);
  });

  test('returns the updated rows when an embed of a write leads back to them', async () => {
    const path = '/boats?id=eq.1&select=boat,weight,details,address,makers(maker,mood,boats(boat,price_text))';
    const headers = { prefer: 'return=representation, tx=rollback' };
    const response = await fetch(path, sendJson('PATCH', { price: 7 }, headers));
    expect(await response.json()).toEqual([
      {
        boat: 'Swan',
        weight: 9000.125,
        details: { b: 1, a: [1] },
        address: '10.0.0.1',
        makers: { maker: 'Baltic', mood: 'wild', boats: [{ boat: 'Swan', price_text: '7 ct' }] },
      },
    ]);
  });

  test('accepts writes: the database fills in keys and missing values', async () => {
    const boat = await fetch('/boats', sendJson('POST', { boat: 'Gull', length_m: 7.255, details: { x: 1 } }, withRow));
    expect({ status: boat.status, rows: await boat.json() }).toMatchObject({
      status: 201,
      rows: [{ id: 3, boat: 'Gull', kind: 'sail', length_m: 7.26, price_text: null, details: { x: 1 } }],
    });
    const makers = await fetch(
      '/makers?columns=maker,token',
      sendJson('POST', [{ maker: 'Kaisa', token: 'k' }, { maker: 'Lumi' }], {
        prefer: 'return=representation, missing=default',
      }),
    );
    const [kaisa, lumi] = (await makers.json()) as Row[];
    expect(kaisa).toMatchObject({ maker_id: 4, token: 'k', since_year: 2000, mood: 'calm' });
    expect(lumi!.token).toMatch(/^[0-9a-f]{32}$/);
    const pass = await fetch('/passes', sendJson('POST', {}, withRow));
    expect(await pass.text()).toBe('[{"id":4611686018427387905,"class":2,"day":null,"fee":null}]');
    expect(await (await fetch('/flags', sendJson('POST', {}, withRow))).json()).toEqual([{ id: 7, flag: null }]);
    // The service stores a key that the client chose, and assigns the next one.
    expect((await fetch('/boats', sendJson('POST', { id: 10, boat: 'Tern' }))).status).toBe(201);
    const next = await fetch('/boats', sendJson('POST', { boat: 'Skua' }, withRow));
    expect(await next.json()).toMatchObject([{ id: 11 }]);
    const each = await fetch('/countries', sendJson('PATCH', [{ code: 'FI', country: 'Suomi' }], withRow));
    expect(await each.json()).toEqual([{ code: 'FI', country: 'Suomi' }]);
    const merged = await fetch(
      '/countries',
      sendJson('POST', [{ code: 'DK', country: 'Danmark' }], { prefer: 'resolution=merge-duplicates' }),
    );
    expect(merged.status).toBe(201);
    expect((await fetch('/countries/DK', sendJson('PUT', { country: 'Dänemark' }))).status).toBe(204);
    expect(await list('/countries?code=eq.DK')).toEqual([{ code: 'DK', country: 'Dänemark' }]);
    expect((await fetch('/trips?boat_id=eq.2&day=eq.1', { method: 'DELETE' })).status).toBe(204);
  });

  test('rejects writes to read-only columns, and reports violations of its own constraints in its own words', async () => {
    await expectRefusal(await fetch('/boats', sendJson('POST', { boat: 'x', price_text: '1' })), 400, '428C9');
    await expectRefusal(await fetch('/boats/1', sendJson('PATCH', { price_text: '1' })), 400, '428C9');
    const taken = await expectRefusal(await fetch('/makers', sendJson('POST', { maker: 'Baltic' })), 409, '23505');
    expect(taken.message).toContain('"the_makers_name"');
    await expectRefusal(await fetch('/boats', sendJson('POST', { boat: 'x', length_m: -1 })), 400, '23514');
    await expectRefusal(await fetch('/boats', sendJson('POST', { boat: 'x', price: -1 })), 400, '23514');
    await expectRefusal(await fetch('/boats', sendJson('POST', { boat: 'x', maker_id: 99 })), 409, '23503');
    await expectRefusal(await fetch('/makers', sendJson('POST', { maker: 'x'.repeat(21) })), 400, '22001');
    expect((await fetch('/berths', sendJson('POST', { berth: 1, boat_id: 1, place: 'a' }))).status).toBe(201);
    await expectRefusal(await fetch('/boats/1', { method: 'DELETE' }), 409, '23503');
    const twice = await expectRefusal(await fetch('/berths', sendJson('POST', { berth: 2, place: 'a' })), 400, '23P01');
    expect(twice.message).toContain('"one_at_a_place"');
    const raised = await expectRefusal(
      await fetch('/berths', sendJson('POST', { berth: 3, place: 'night' })),
      400,
      'P0001',
    );
    expect(raised).toMatchObject({ message: 'closed at night', hint: 'Come by day.' });
    const full = await expectRefusal(
      await fetch('/berths', sendJson('POST', { berth: 4, place: 'full' })),
      507,
      'CAT507',
    );
    expect(JSON.stringify(full)).not.toContain('base/');
    expect((await fetch('/berths/1', { method: 'DELETE' })).status).toBe(204);
    await expectRefusal(
      await fetch('/boats', sendJson('POST', { boat: 'x' }, { 'idempotency-key': 'k' })),
      501,
      'CAT501',
    );
  });

  test('is unchanged, and has no additional objects', async () => {
    expect(await makeUp(schema)).toEqual(before as object[]);
  });

  test('is rejected if a table no longer matches the declaration, with the differences', async () => {
    const catalogue = declareCatalogue({
      collections: drafts.map((draft) => ({ ...draft, fields: [...draft.fields, { name: 'colour', type: 'text' }] })),
    });
    const other = openPostgres({ ...SETTINGS, url, schema, catalogue, firstRows: NO_ROWS });
    await expect(other.opened).rejects.toThrow('another program created the table boats, and colour is missing');
    await other.close();
  });

  test('can contain collections of the service, which then store idempotency keys', async () => {
    const own = {
      name: 'ratings',
      key: ['id'],
      fields: [
        { name: 'id', type: 'int4' },
        { name: 'boat_id', type: 'int4', references: { collection: 'boats', onDelete: 'cascade' as const } },
      ],
    };
    const catalogue = declareCatalogue({ collections: [...drafts, own] });
    const mixed = openPostgres({ ...SETTINGS, url, schema, catalogue, firstRows: NO_ROWS });
    await mixed.opened;
    expect(mixed.steps).toEqual([
      'create table idempotency_keys',
      'create table catalogue_schema',
      'create table ratings',
    ]);
    const app = createApp({ catalogue, engine: mixed, maxBodyBytes: 1024 * 1024, allowUnfilteredWrites: false });
    const post = (path: string, body: object) =>
      app.fetch(new Request(`http://catalogue${path}`, sendJson('POST', body, { 'idempotency-key': path })));
    expect((await post('/ratings', { boat_id: 1 })).status).toBe(201);
    expect((await post('/boats', { boat: 'kept' })).status).toBe(201);
    await mixed.close();
  });
});

describe('catalogue declare', () => {
  test('describes 500 tables, with a reason for each thing that it leaves out', async () => {
    const schema = newSchema();
    await admin.unsafe(`create schema "${schema}"`);
    await admin.unsafe(`do $$ begin for i in 1..500 loop
      execute format('create table "${schema}"."Table %s" (id int primary key, "Next" int references "${schema}"."Table %s")', i, greatest(1, i - 1));
    end loop; end $$`);
    await admin.unsafe(`create table "${schema}".console (id int primary key)`);
    await admin.unsafe(`create table "${schema}".empty ()`);
    const { collections, leftOut } = await describeDatabase(url, { ...SETTINGS, schema });
    expect(collections.map(({ draft: { fields } }) => fields[1]!.references!.collection)).toHaveLength(500);
    expect(leftOut).toEqual(['console: console is a page of the service', 'empty: it has no columns']);
    await admin.unsafe(`drop schema "${schema}" cascade`);
  });

  test('writes the file, reports what it omits, and replaces nothing without --force', async () => {
    const schema = newSchema();
    await admin.unsafe(`create schema "${schema}"`);
    await admin.begin(async (transaction) => {
      await transaction.unsafe(`set local search_path = "${schema}"`);
      await transaction.unsafe(TABLES);
    });
    const cwd = temporaryFolder();
    const file = join(cwd, 'collections.yaml');
    const declare = (...more: string[]) => run({ args: ['declare', url, '--schema', schema, ...more], cwd });
    const first = await declare();
    expect(first).toMatchObject({
      exitCode: 0,
      stdout:
        'Wrote collections.yaml: Logs, berths, boats, countries, flags, fleet, makers, notes, passes, trips, trips_day\n',
    });
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain('secret');
    for (const line of [
      '  boats:\n',
      "      length_m: { type: 'decimal(6,2)', indexed: true }\n",
      '      weight: numeric\n',
      '      address: pg:inet\n',
      '      price_text: { type: text, readOnly: true } # computed:',
      '      Old Name: ',
      '    # boats_length_m_check: CHECK ((length_m > (0)::numeric))\n',
      '      maker_id: { type: int2, references: { collection: makers, onDelete: set null } }',
      '    key: [ boat_id, day ]\n',
      '      day: int4 # also indexed\n',
      '      limit: ',
      '    unique: [ [ boat, maker_id ] ]\n',
      '# foreign key (boat_name, maker_id) references boats(boat, maker_id)\n',
      '      token: { type: text, required: true, filled: true } # filled in by the database: md5((random())::text)\n',
    ]) {
      expect(text).toContain(line);
    }
    const described = await describeDatabase(url, { ...SETTINGS, schema });
    expect(await readDeclaration(file)).toEqual({ collections: described.collections.map(({ draft }) => draft) });
    const check = () => declare('--check');
    expect(await check()).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^collections.yaml matches /) });
    await admin.unsafe(
      `alter table "${schema}".boats add column "Sail No" text, alter column address type text using address::text`,
    );
    await admin.unsafe(`create table "${schema}".docks (id int primary key)`);
    writeFileSync(file, text.replace('      boat: { type: text', '      hull: text\n      boat: { type: text'));
    expect(await check()).toMatchObject({
      exitCode: 1,
      stdout: `boats.hull: not in the database
boats.address: type is pg:inet in collections.yaml, text in the database
boats.Sail No: not in collections.yaml
docks: not in collections.yaml
`,
    });
    await admin.unsafe(
      `alter table "${schema}".boats drop column "Sail No", alter column address type inet using address::inet`,
    );
    await admin.unsafe(`drop table "${schema}".docks`);
    writeFileSync(file, text);
    // The service finds the written declaration in its default place.
    const service = await startService({ args: ['--schema', schema], cwd, env: { DATABASE_URL: url } });
    const boats = await service.fetch('/boats?select=boat,maker:makers(maker,countries!made_in(country))&id=eq.1');
    expect(await boats.json()).toEqual([
      { boat: 'Swan', maker: { maker: 'Baltic', countries: { country: 'Finland' } } },
    ]);
    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
    const second = await declare();
    expect(second).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--force replaces it') });
    expect((await declare('--force')).exitCode).toBe(0);
    expect((await declare('--output', '-')).stdout).toBe(text);
    expect(existsSync(join(cwd, '-'))).toBe(false);
  });

  test('reports a schema without tables in one sentence', async () => {
    const { exitCode, stderr } = await run({ args: ['declare', url, '--schema', newSchema()], cwd: temporaryFolder() });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('has no table that can be a collection');
  });
});
