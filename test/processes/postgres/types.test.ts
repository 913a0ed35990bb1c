/** Columns of every type of PostgreSQL: enums, ranges, composite types, searches. The database parses and compares. */
import { afterAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import { printCollection } from '../../../src/declare/writer/write.ts';
import { typeScriptTypes } from '../../../src/openapi/types.ts';
import { adoptedSchema } from '../../support/engines/adopted.ts';
import { declared } from '../../support/processes/declarations.ts';
import { cleanUp, run, temporaryFolder } from '../../support/processes/process.ts';
import { expectRefusal, send, sendJson } from '../../support/stories.ts';

afterAll(cleanUp);

const SQL = `
  create type size as enum ('small', 'large', 'huge');
  create type "Odd Name" as enum ('it''s', 'b');
  create type point3 as (x integer, y integer, label text);
  create domain positive as integer default 5 check (value > 0);
  create domain boxed as size default 'large';
  create table things (id integer primary key, size size not null default 'small', odd "Odd Name", box boxed,
    wait interval, address inet, net cidr, bytes bytea, cost money, days daterange, spans int4multirange,
    words tsvector, page xml, spot point3, hosts inet[], bits bit(3), amount numeric, rank positive);
  insert into things (id, size, wait, address, days, words, spot, hosts, amount) values
    (1, 'huge', '2 hours', '10.0.0.9', '[2026-01-01,2026-02-01)', 'fat:1 cat:2', (1, 2, 'a'), '{10.0.0.1}', 700.50),
    (2, 'small', '10 hours', '10.0.0.10', '[2026-02-01,2026-03-01)', 'thin:1 dog:2', null, null, 1e30),
    (3, 'large', null, null, '[2026-02-10,2026-02-12)', null, (3, 4, 'b'), '{10.0.0.2,10.0.0.3}', null);
  create table sized (size size primary key, note text);
  insert into sized values ('large', 'l'), ('small', 's');`;

describe('types of PostgreSQL', () => {
  const { fetch, list, draft } = adoptedSchema(SQL);
  const withRow = { prefer: 'return=representation' };
  const ids = async (query: string) =>
    ((await list(`/things?select=id&${query}`)) as { id: number }[]).map(({ id }) => id);

  test('are declared by their names, and the declaration reads back the same', async () => {
    const types = Object.fromEntries(draft('things').fields.map(({ name, type }) => [name, type]));
    expect(types).toMatchObject({ size: 'pg:size', odd: 'pg:"Odd Name"', wait: 'pg:interval', hosts: 'pg:inet[]' });
    expect(types).toMatchObject({ bits: 'pg:bit(3)', amount: 'numeric', rank: 'int4', box: 'pg:size' });
    expect(draft('things').fields[1]).toMatchObject({ required: true, oneOf: ['small', 'large', 'huge'] });
    expect((await declared(`collections:\n${printCollection(draft('things'))}`)).collections).toEqual([
      draft('things'),
    ]);
  });

  test('an enum is a union in the types of clients', () => {
    const types = typeScriptTypes(declareCatalogue({ collections: [draft('things')] }));
    expect(types).toContain("size: 'small' | 'large' | 'huge';");
    expect(types).toContain("odd: 'it\\'s' | 'b' | null;");
  });

  test.each([
    ['size=gte.large&order=size', [3, 1]],
    ['order=size.desc', [1, 3, 2]],
    ['size=in.(huge,small)&order=id', [1, 2]],
    ['wait=gt.3 hours', [2]],
    ['address=lt.10.0.0.10', [1]],
    ['address=isdistinct.10.0.0.9&order=id', [2, 3]],
    ['hosts=in.("{10.0.0.1}","{10.0.0.7}")', [1]],
    ['hosts=cs.{10.0.0.3}', [3]],
    ['days=sl.[2026-02-05,2026-02-06)&order=id', [1]],
    ['days=sr.[2026-01-01,2026-02-05)', [3]],
    ['days=nxr.[2026-01-01,2026-02-12)&order=id', [1, 3]],
    ['days=nxl.[2026-02-01,2026-02-02)&order=id', [2, 3]],
    ['days=adj.[2026-01-01,2026-02-01)', [2]],
    ['days=ov.[2026-02-11,2026-02-12)&order=id', [2, 3]],
    ['days=cd.[2026-02-01,2026-03-01)&order=id', [2, 3]],
    ['days=cs.[2026-02-11,2026-02-12)&order=id', [2, 3]],
    ['words=fts.cat', [1]],
    ['words=not.plfts(simple).thin', [1]],
    ['spot->>label=eq.b', [3]],
    ['amount=gt.1000', [2]],
    ['order=amount.desc.nullslast', [2, 1, 3]],
  ])('are filtered and ordered by the database: %s', async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  test('are shown as to_json prints them, cast and aggregated', async () => {
    expect(await list('/things?id=eq.1&select=spot,hosts,wait,label:spot->>label,long:wait::text,amount')).toEqual([
      {
        spot: { x: 1, y: 2, label: 'a' },
        hosts: ['10.0.0.1'],
        wait: '02:00:00',
        label: 'a',
        long: '02:00:00',
        amount: 700.5,
      },
    ]);
    expect(await list('/things?select=longest:wait.max(),all:wait.sum(),largest:size.max()')).toEqual([
      { longest: '10:00:00', all: '12:00:00', largest: 'huge' },
    ]);
    const csv = await fetch('/things?id=eq.1&select=spot,size', { headers: { accept: 'text/csv' } });
    expect(await csv.text()).toBe('spot,size\n"(1,2,a)",huge\n');
  });

  test('are written from texts, numbers, objects and lists', async () => {
    const row = {
      id: 9,
      size: 'large',
      odd: "it's",
      wait: '1 day',
      address: '::1',
      net: '10.0.0.0/8',
      bytes: '\\x00ff',
      cost: '$1.50',
      days: '[2027-01-01,2027-01-03)',
      spans: '{[1,3)}',
      words: "'a':1",
      page: '<a/>',
      spot: { x: 7, y: 8, label: 'z' },
      hosts: ['10.0.0.1', null],
      bits: '101',
      amount: 1234567.5,
    };
    const created = await fetch('/things', sendJson('POST', row, withRow));
    expect({ status: created.status, rows: await created.json() }).toEqual({
      status: 201,
      rows: [{ ...row, box: 'large', rank: 5 }],
    });
    const change = { spot: { x: 1, y: 1, label: null }, hosts: ['10.0.0.4'], days: null, size: 'huge' };
    const changed = await fetch('/things?id=eq.9&select=spot,hosts,days,size', sendJson('PATCH', change, withRow));
    expect(await changed.json()).toEqual([change]);
    const each = await fetch(
      '/things?select=wait,spot',
      sendJson('PATCH', [{ id: 9, wait: '3 days', spot: null }], withRow),
    );
    expect(await each.json()).toEqual([{ wait: '3 days', spot: null }]);
    const merge = { prefer: 'resolution=merge-duplicates,return=representation' };
    const merged = await fetch('/things?select=bits', sendJson('POST', { id: 9, size: 'small', bits: '011' }, merge));
    expect(await merged.json()).toEqual([{ bits: '011' }]);
    expect((await fetch('/things?id=eq.9', { method: 'DELETE' })).status).toBe(204);
  });

  test('a CSV file is stored as well', async () => {
    const created = await fetch('/things', send('POST', 'text/csv', 'id,size,wait\n8,small,5 minutes\n'));
    expect(created.status).toBe(201);
    expect(await list('/things?id=eq.8&select=wait')).toEqual([{ wait: '00:05:00' }]);
    expect((await fetch('/things?id=eq.8', { method: 'DELETE' })).status).toBe(204);
  });

  test.each([
    ['/things?wait=gt.soon', '22007'],
    ['/things?size=eq.tiny', '22P02'],
    ['/things?address=eq.x', '22P02'],
    ['/things?size=like.s*', '42883'],
    ['/things?order=page', '42883'],
    ['/things?days=cs.[3', '22P02'],
    ['/things?select=size::int4', '42846'],
    ['/things?select=address.sum()', '42883'],
  ])('the database explains what it does not accept: %s', async (path, code) => {
    await expectRefusal(await fetch(path), 400, code);
  });

  test('a value that is not of the type is rejected, and changes nothing', async () => {
    for (const body of [{ size: 'tiny' }, { wait: 'soon' }, { spot: { x: 'a' } }, { amount: 'much' }]) {
      const code = 'wait' in body ? '22007' : '22P02';
      await expectRefusal(await fetch('/things?id=eq.1', sendJson('PATCH', body)), 400, code);
      await expectRefusal(await fetch('/things', sendJson('POST', { id: 7, size: 'small', ...body })), 400, code);
    }
    await expectRefusal(await fetch('/things?id=eq.1', sendJson('PATCH', { rank: -1 })), 400, '23514');
    expect(await list('/things?id=eq.1&select=size,wait')).toEqual([{ size: 'huge', wait: '02:00:00' }]);
  });

  test('an enum may be a key: items, versions and pages', async () => {
    const item = await fetch('/sized/small');
    expect(await item.json()).toEqual({ size: 'small', note: 's' });
    const headers = { 'if-match': item.headers.get('etag')! };
    expect((await fetch('/sized/small', sendJson('PATCH', { note: 't' }, headers))).status).toBe(204);
    const page = await fetch('/sized?limit=1');
    expect(await page.json()).toEqual([{ size: 'small', note: 't' }]);
    const next = /<([^>]*)>; rel="next"/.exec(page.headers.get('link')!)![1]!;
    expect(await list(next)).toEqual([{ size: 'large', note: 'l' }]);
    await expectRefusal(await fetch('/sized/tiny'), 400, '22P02');
  });

  test('SQLite rejects a declaration with such types, with the reason', async () => {
    const cwd = temporaryFolder();
    const fields = "{ id: int4, wait: 'pg:interval', amount: numeric }";
    writeFileSync(join(cwd, 'collections.yaml'), `collections:\n  things:\n    fields: ${fields}\n`);
    const refused = await run({ args: ['migrate', '--database', 'things.db'], cwd });
    expect(refused.exitCode).not.toBe(0);
    expect(refused.stderr).toContain('things.wait is pg:interval, a type for columns of existing PostgreSQL tables');
    expect(refused.stderr).toContain('things.amount is numeric');
  });
});
