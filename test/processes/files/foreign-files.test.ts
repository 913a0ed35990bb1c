/** `catalogue declare` for SQLite files: files of other programs, and catalogue files. */
import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import { products } from '../../../src/collection/products.ts';
import { describeDatabase } from '../../../src/engine/open.ts';
import { PLACES } from '../../support/engines/declared.ts';
import { TEST_SETTINGS } from '../../support/engines/postgres.ts';
import { cleanUp, run, temporaryFolder } from '../../support/processes/process.ts';

const SETTINGS = {
  ...TEST_SETTINGS,
  schema: 'public',
  collections: '',
  replicas: [],
  replicaLagSeconds: 10,
  idempotencyHours: 24,
  historyDays: 30,
};
afterAll(cleanUp);

const describeFile = async (file: string) =>
  (await describeDatabase(file, SETTINGS)).collections.map(({ draft }) => draft);

function fileWith(...statements: readonly string[]): string {
  const file = join(temporaryFolder(), 'other.db');
  const db = new Database(file, { create: true });
  for (const sql of statements) db.run(sql);
  db.close();
  return file;
}

const OTHER = [
  "create table makers (id integer primary key, maker varchar(20) not null unique, city text default 'Turku', founded integer check (founded >= 1800 and founded <= 2100))",
  `create table boats (code text primary key, boat nvarchar not null, kind text default 'sail' check ("kind" in ('sail', 'motor')), maker_id int references makers on delete cascade,
    length_m decimal(6,2), weight numeric, sold boolean not null default 0, rating, picture blob, "Old Name" text, size as (length(boat)), check (length_m < weight))`,
  'create index boats_by_kind on boats (kind)',
  'create unique index boats_names on boats (boat, maker_id)',
  'create index boats_long on boats (length_m) where length_m > 10',
  'create table crew (boat text, place int, name text, primary key (boat, place), foreign key (boat) references boats (code))',
  'create table loose (a text)',
  'create table "Upper" (id integer primary key)',
  "insert into makers (maker, founded) values ('Baltic', 1973)",
  "insert into boats values ('b1', 'Swan', 'sail', 1, 12.5, 9000, 1, 'good', x'00ff', null), ('b2', 'Gull', null, null, 7.25, 800.5, 0, 3, null, null)",
  "insert into crew values ('b1', 1, 'Aino')",
];

test('the tables of another program are declared according to the values in their columns', async () => {
  const file = fileWith(...OTHER);
  const bytes = readFileSync(file);
  expect(await describeFile(file)).toEqual([
    { name: 'Upper', key: ['id'], fields: [{ name: 'id', type: 'int8' }] },
    {
      name: 'boats',
      key: ['code'],
      fields: [
        { name: 'code', type: 'text' },
        { name: 'boat', type: 'text', required: true },
        { name: 'kind', type: 'text', default: 'sail', indexed: true, oneOf: ['sail', 'motor'] },
        { name: 'maker_id', type: 'int8', references: { collection: 'makers', onDelete: 'cascade' } },
        { name: 'length_m', type: 'decimal(6,2)' },
        { name: 'weight', type: 'float8' },
        { name: 'sold', type: 'boolean', required: true, default: false },
        { name: 'rating', type: 'text' },
        { name: 'Old Name', type: 'text' },
        { name: 'size', type: 'int8' },
      ],
      unique: [['boat', 'maker_id']],
    },
    {
      name: 'crew',
      key: ['boat', 'place'],
      fields: [
        { name: 'boat', type: 'text', references: { collection: 'boats', onDelete: 'restrict' } },
        { name: 'place', type: 'int8' },
        { name: 'name', type: 'text' },
      ],
    },
    {
      name: 'makers',
      key: ['id'],
      fields: [
        { name: 'id', type: 'int8' },
        { name: 'maker', type: 'text', required: true, unique: true },
        { name: 'city', type: 'text', default: 'Turku' },
        { name: 'founded', type: 'int8', minimum: 1800, maximum: 2100 },
      ],
    },
  ]);
  expect(readFileSync(file)).toEqual(bytes);
});

test('the command writes a file that can create tables and lists omissions in comments', async () => {
  const file = fileWith(...OTHER);
  const cwd = temporaryFolder();
  const { exitCode, stdout, stderr } = await run({ args: ['declare', file], cwd });
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Wrote collections.yaml: Upper, boats, crew, makers\n' });
  expect(stderr).toContain('loose: it has no primary key');
  const text = readFileSync(join(cwd, 'collections.yaml'), 'utf8');
  for (const line of [
    '    # the column picture is left out: it holds bytes that are not text\n',
    '      Old Name: text\n',
    '    # check (length_m < weight)\n',
    '      size: int8 # computed there\n',
    '      sold: { type: boolean, required: true, default: false }\n',
  ]) {
    expect(text).toContain(line);
  }
  const copied = await run({ args: ['copy', '--from', file, '--to', 'own.db'], cwd });
  expect(copied).toMatchObject({
    exitCode: 0,
    stdout: `Copied 4 rows from ${file} to own.db; the counts agree.\n`,
  });
  const own = new Database(join(cwd, 'own.db'), { readonly: true });
  expect(own.query('select code, maker_id, length_m, sold, rating, size from boats order by code').values()).toEqual([
    ['b1', 1, 12.5, 1, 'good', 4],
    ['b2', null, 7.25, 0, '3', 4],
  ]);
  own.close();
  const again = await run({ args: ['copy', '--from', file, '--to', 'own.db'], cwd });
  expect(again).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Copy to an empty database') });
  const collections = await describeFile(file);
  const { engine, close } = await PLACES.SQLite!().open({ collections });
  expect(engine.steps).toEqual([
    'create table Upper',
    'create table boats',
    'create table crew',
    'create table makers',
  ]);
  await close();
});

test('a file that is missing or not a database is reported in one sentence', async () => {
  const cwd = temporaryFolder();
  await Bun.write(join(cwd, 'text.db'), 'this is not a database, whatever its name says; it is a text of some length');
  for (const [name, words] of [
    ['missing.db', 'database missing.db does not exist'],
    ['text.db', 'the database text.db cannot be read: file is not a database'],
  ] as const) {
    const { exitCode, stderr } = await run({ args: ['declare', name], cwd });
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: `catalogue: ${words}\n` });
  }
});

test('a catalogue file returns its own declaration', async () => {
  const place = PLACES.SQLite!();
  const draft = {
    ...products.draft,
    fields: [...products.draft.fields, { name: 'sku', type: 'text', pattern: '^[A-Z]' }],
  };
  await (await place.open({ collections: [draft] })).close();
  const [described] = await describeFile(place.url);
  expect(described!.fields.at(-1)).toEqual({ name: 'sku', type: 'text', pattern: '^[A-Z]' });
  expect(await place.plan({ collections: [described!] })).toEqual({ steps: [], problems: [] });
  expect(declareCatalogue({ collections: [described!] }).collections.get('products')!.fields).toHaveLength(11);
});
