/** Tables in PostgreSQL that something else made: errors, defaults and names that are theirs stay theirs. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createApp } from '../../../src/app.ts';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import type { CollectionDraft } from '../../../src/collection/draft.ts';
import type { Row } from '../../../src/collection/value.ts';
import { describeDatabase } from '../../../src/engine/open.ts';
import { openPostgres, type PostgresEngine } from '../../../src/engine/postgres/engine.ts';
import { newRowSchema } from '../../../src/openapi/schemas.ts';
import { NO_ROWS } from '../../../src/plan/write/first-rows.ts';
import { newSchema, TEST_SETTINGS, testServer } from '../../support/engines/postgres.ts';
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
  create domain rating as integer default 3 not null check (value > 0);
  create domain stamp as text default md5(random()::text) not null;
  create table client (id integer primary key, name text);
  create table clients (id integer primary key, name text);
  create table tags (id integer primary key, owner integer constraint owned references clients);
  create table projects (
    id integer primary key, name text, rating rating, stamp stamp, share integer,
    client_id integer constraint client references clients,
    owner integer constraint owned references clients);
  create table parcels (id integer primary key, client_id integer references clients, weight numeric, exact numeric(30,5), cost money, wait interval);
  insert into parcels values (1, null, 700, 700, 700, '2 hours'), (2, null, 1200.0, 1200, 1200, '10 hours'),
    (3, null, 500, 500, 500, '9 days'), (4, null, null, null, null, null), (5, null, 1200.00, 90.5, 90, '1 day');
  create type money_kind as enum ('coins', 'notes');
  create type interval_kind as enum ('short', 'long');
  create table tills (id integer primary key, kind money_kind, wait interval_kind, time interval day to second(3));
  insert into tills values (1, 'coins', 'long', '2 hours'), (2, 'notes', 'short', '10 hours'), (3, 'notes', 'long', '9 days');
  create table stocks (id integer primary key, sku varchar(20) unique, code char(4) unique, price numeric(10,2),
    units integer constraint enough check (units >= 0), sizes smallint[]);
  insert into stocks values (1, 'A', 'aa', 9.99, 3, '{1,2}'), (2, 'B', 'bb', 1.50, 0, null);
  create table labels (id integer primary key, parcel_id integer references parcels);
  insert into labels values (1, 2), (2, 3), (3, 1);
  create table letters (id integer primary key, body text not null, stamped text not null);
  create function stamp() returns trigger language plpgsql as
    $$ begin if new.body <> 'plain' then new.stamped := 'today'; end if; return new; end $$;
  create trigger stamp before insert on letters for each row execute function stamp();
  create table notes (id integer primary key, body text not null);
  create trigger stamp before insert on notes for each row execute function stamp();
  alter table notes disable trigger stamp;
  create function check_share() returns trigger language plpgsql as
    $$ begin
      if new.share = -1 then raise exception 'never' using errcode = 'MY001', detail = 'Negative.', hint = 'Use 1.'; end if;
      if new.share = -2 then raise exception 'invalid input syntax for type pg_lsn: "catalogue: too many bytes"' using errcode = '22P02'; end if;
      if new.share between -599 and -300 then raise exception 'rejected' using errcode = 'PT' || -new.share, detail = 'Why.', hint = 'How.'; end if;
      if new.share is not null then new.name := new.name || 100 / new.share; end if;
      return new;
    end $$;
  create trigger check_share before insert or update on projects for each row execute function check_share();
  insert into clients values (1, 'Apple'), (2, 'Banana');
  insert into projects (id, name, client_id, owner) values (1, 'a', 1, 2), (2, 'b', 1, 1)`;

describe('adopted tables', () => {
  const schema = newSchema();
  let drafts: readonly CollectionDraft[];
  let engine: PostgresEngine;
  let otherEngine: PostgresEngine;
  let fetch: (path: string, init?: RequestInit) => Promise<Response>;
  /** The same tables, declared as before `numeric` and `pg:` were types: as text. */
  let fetchAsText: typeof fetch;
  const list = async (path: string) => (await (await fetch(path)).json()) as Row[];
  const withRow = { prefer: 'return=representation' };

  beforeAll(async () => {
    await admin.unsafe(`create schema "${schema}"`);
    await admin.begin(async (transaction) => {
      await transaction.unsafe(`set local search_path = "${schema}"`);
      await transaction.unsafe(TABLES);
    });
    const described = await describeDatabase(url, { ...SETTINGS, schema });
    drafts = described.collections.map(({ draft }) => draft);
    [engine, fetch] = await open(drafts);
    const asText = (draft: CollectionDraft): CollectionDraft => ({
      ...draft,
      fields: draft.fields.map((field) =>
        /^(numeric|pg:.*)$/.test(field.type) ? { name: field.name, type: 'text', readOnly: true } : field,
      ),
    });
    [otherEngine, fetchAsText] = await open(drafts.map(asText));
  });
  afterAll(() => Promise.all([engine.close(), otherEngine.close()]));

  async function open(collections: readonly CollectionDraft[]): Promise<[PostgresEngine, typeof fetch]> {
    const catalogue = declareCatalogue({ collections });
    const opened = openPostgres({ ...SETTINGS, url, schema, catalogue, firstRows: NO_ROWS });
    await opened.opened;
    const app = createApp({ catalogue, engine: opened, maxBodyBytes: 1024 * 1024, allowUnfilteredWrites: false });
    return [opened, async (path, init) => app.fetch(new Request(`http://catalogue${path}`, init))];
  }

  test.each([
    ['POST', '/projects', { id: 3, name: 'c', share: 0 }],
    ['PATCH', '/projects?id=eq.1', { share: 0 }],
    ['PATCH', '/projects', [{ id: 1, share: 0 }]],
    ['PUT', '/projects?id=eq.1', { id: 1, name: 'a', share: 0 }],
  ])('the error of a trigger keeps its code in %s %s', async (method, path, body) => {
    for (const headers of [{}, withRow]) {
      const refused = await expectRefusal(await fetch(path, sendJson(method, body, headers)), 400, '22012');
      // Only an array has rows to name.
      const details = Array.isArray(body) ? 'row 1: division by zero' : null;
      expect(refused).toMatchObject({ message: 'division by zero', details });
    }
  });

  test('a bulk update finds rows by a unique column of any type, and computes operations', async () => {
    const patch = (target: string, rows: unknown) =>
      fetch(`/stocks?on_conflict=${target}`, sendJson('PATCH', rows, withRow));
    const bySku = await patch('sku', [
      { sku: 'B', price: { multiply: 1.1 }, sizes: { append: 3 } },
      { sku: 'A', price: { divide: 3 }, sizes: { append: 3 } },
    ]);
    expect(await bySku.json()).toMatchObject([
      { id: 2, price: 1.65, sizes: null },
      { id: 1, price: 3.33, sizes: [1, 2, 3] },
    ]);
    const byCode = await patch('code', [{ code: 'bb', units: { increment: 2 } }]);
    expect(await byCode.json()).toMatchObject([{ id: 2, units: 2 }]);
    const refused = await expectRefusal(
      await patch('sku', [
        { sku: 'A', units: { decrement: 1 } },
        { sku: 'B', units: { decrement: 3 } },
      ]),
      400,
      '23514',
    );
    expect(refused).toMatchObject({ index: 1, message: expect.stringContaining('"enough"') });
    expect(await list('/stocks?select=units&order=id')).toEqual([{ units: 3 }, { units: 2 }]);
  });

  test('the error of a trigger keeps a code of its own invention', async () => {
    const response = await fetch('/projects', sendJson('POST', { id: 3, name: 'c', share: -1 }));
    const refused = await expectRefusal(response, 400, 'MY001');
    expect(refused).toMatchObject({ message: 'never', details: 'Negative.', hint: 'Use 1.' });
    const listed = await fetch(
      '/projects',
      sendJson('PATCH', [
        { id: 2, name: 'x' },
        { id: 1, name: 'x', share: -1 },
      ]),
    );
    expect(await expectRefusal(listed, 400, 'MY001')).toMatchObject({ index: 1, details: 'row 2: Negative.' });
  });

  test('the error of a trigger never reads as an error of the service', async () => {
    const response = await fetch('/projects', sendJson('POST', { id: 3, name: 'c', share: -2 }, withRow));
    await expectRefusal(response, 400, '22P02');
  });

  test.each([
    [402, 402],
    [404, 404],
    [599, 599],
    // Not an error status.
    [399, 400],
  ])('the error PT%d of a trigger has the status %d', async (code, status) => {
    const response = await fetch('/projects', sendJson('POST', { id: 3, name: 'c', share: -code }));
    const refused = await expectRefusal(response, status, `PT${code}`);
    expect(refused).toMatchObject({ message: 'rejected', details: 'Why.', hint: 'How.' });
  });

  test.each([
    ['kind=eq.notes', [2, 3]],
    ['wait=in.(long)', [1, 3]],
    ['kind=gt.coins', [2, 3]],
    ['time=gt.3 hours', [2, 3]],
  ])('an enum whose name begins like that of a quantity is compared as an enum: %s', async (query, ids) => {
    expect((await list(`/tills?select=id&${query}&order=id`)).map(({ id }) => id)).toEqual(ids);
  });

  test('the default of a domain fills in what is left out', async () => {
    const fields = drafts.find(({ name }) => name === 'projects')!.fields;
    expect(fields.find(({ name }) => name === 'rating')).toMatchObject({ required: true, default: 3 });
    expect(fields.find(({ name }) => name === 'stamp')).toMatchObject({ required: true, filled: true });
    const response = await fetch('/projects', sendJson('POST', { id: 4, name: 'd' }, withRow));
    expect({ status: response.status, rows: await response.json() }).toMatchObject({
      status: 201,
      rows: [{ id: 4, rating: 3, stamp: expect.stringMatching(/^[0-9a-f]{32}$/) }],
    });
  });

  test('a trigger fills in what is left out, and the database rejects what it does not fill in', async () => {
    const response = await fetch('/letters', sendJson('POST', { id: 1, body: 'x' }, withRow));
    expect({ status: response.status, rows: await response.json() }).toEqual({
      status: 201,
      rows: [{ id: 1, body: 'x', stamped: 'today' }],
    });
    await expectRefusal(await fetch('/letters', sendJson('POST', { id: 2, body: 'plain' })), 400, '23502');
  });

  test('a column that only a trigger may fill in stays required for clients; a disabled trigger changes nothing', async () => {
    const fieldsOf = (table: string) => drafts.find(({ name }) => name === table)!.fields;
    expect(fieldsOf('letters')[1]).toEqual({ name: 'body', type: 'text', required: true, filled: 'trigger' });
    expect(fieldsOf('notes')[1]).toEqual({ name: 'body', type: 'text', required: true });
    const { collections } = declareCatalogue({ collections: drafts });
    expect(newRowSchema(collections.get('letters')!).required).toEqual(['body', 'stamped']);
  });

  test.each([
    ['weight=gt.500', [1, 2, 5]],
    ['weight=lte.700.00', [1, 3]],
    ['weight=eq.1200', [2, 5]],
    ['weight=neq.1200', [1, 3]],
    ['weight=in.(500.0,1.2e3)', [2, 3, 5]],
    ['weight=isdistinct.1200', [1, 3, 4]],
    ['weight=is.null', [4]],
    ['order=weight.desc.nullslast,id', [2, 5, 1, 3, 4]],
    ['cost=gt.500&order=cost', [1, 2]],
    ['wait=gte.1 day&order=wait', [5, 3]],
    ['or=(weight.lt.600,cost.gt.1000)', [2, 3]],
    ['exact=gt.500&order=exact.desc', [2, 1]],
  ])('a quantity is compared and sorted by its value: %s', async (query, ids) => {
    for (const each of [fetch, fetchAsText]) {
      const response = await each(`/parcels?select=id&${query.includes('order') ? query : `${query}&order=id`}`);
      expect(((await response.json()) as Row[]).map(({ id }) => id)).toEqual(ids);
    }
  });

  test('rows are sorted by a quantity of a row that they embed', async () => {
    for (const each of [fetch, fetchAsText]) {
      for (const field of ['weight', 'cost']) {
        const response = await each(`/labels?select=id,parcels(weight,cost)&order=parcels(${field})`);
        expect(((await response.json()) as Row[]).map(({ id }) => id)).toEqual([2, 3, 1]);
      }
    }
  });

  test('a number without digits is shown and summed as a number', async () => {
    const response = await fetch('/parcels?select=weight,exact&id=eq.5');
    expect(await response.text()).toBe('[{"weight":1200.00,"exact":90.50000}]');
    expect(await list('/parcels?select=weight.sum()')).toEqual([{ sum: 3600 }]);
    const stored = await fetch('/parcels?select=weight', sendJson('POST', { id: 6, weight: 1.5 }, withRow));
    expect(await stored.json()).toEqual([{ weight: 1.5 }]);
    await expectRefusal(await fetch('/parcels/6', sendJson('PATCH', { weight: 'heavy' })), 400, '22P02');
    expect((await fetch('/parcels/6', { method: 'DELETE' })).status).toBe(204);
  });

  test('the largest and the smallest quantity, and pages by it', async () => {
    for (const each of [fetch, fetchAsText]) {
      const [found] = (await (await each('/parcels?select=high:weight.max(),low:weight.min()')).json()) as Row[];
      expect([Number(found!.high), Number(found!.low)]).toEqual([1200, 500]);
    }
    const ids: unknown[] = [];
    let next: string | undefined = '/parcels?select=id&order=weight&limit=2';
    while (next !== undefined && ids.length < 9) {
      const page = await fetch(next);
      ids.push(...((await page.json()) as Row[]).map(({ id }) => id));
      next = /<([^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(ids).toEqual([3, 1, 2, 5, 4]);
    await expectRefusal(await fetch('/parcels?weight=gt.heavy'), 400, '22P02');
  });

  test('a reference keeps the name of its constraint, also if a table or another reference has that name', async () => {
    const referenceOf = (of: string, field: string) =>
      drafts.find(({ name }) => name === of)!.fields.find(({ name }) => name === field)!.references;
    expect(referenceOf('projects', 'client_id')).toMatchObject({ constraint: 'client' });
    expect(referenceOf('projects', 'owner')).toMatchObject({ constraint: 'owned' });
    expect(referenceOf('tags', 'owner')).toMatchObject({ constraint: 'owned' });
    expect(await list('/projects?select=id,client(name)&id=eq.1')).toEqual([
      { id: 1, client: { name: 'Apple' } },
    ] as unknown as Row[]);
    expect(await list('/projects?select=id,clients!owned(name)&id=eq.1')).toEqual([
      { id: 1, clients: { name: 'Banana' } },
    ] as unknown as Row[]);
  });
});
