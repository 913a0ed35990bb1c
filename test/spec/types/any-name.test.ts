/** Collections and fields with any name that PostgreSQL allows: capitals, spaces, signs, other scripts, keywords. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import type { CollectionDraft } from '../../../src/collection/draft.ts';
import { parseDeclaration } from '../../../src/declare/read.ts';
import { printCollection } from '../../../src/declare/writer/write.ts';
import type { Pages } from '../../../src/http/pages.ts';
import { describe as describeCatalogue } from '../../../src/openapi/described.ts';
import { openApiDocument } from '../../../src/openapi/document.ts';
import { typeScriptTypes } from '../../../src/openapi/types.ts';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { type Opened, PLACES, type Place, refusalOf } from '../../support/engines/declared.ts';
import { expectRefusal, send, sendJson } from '../../support/stories.ts';

const FIELDS = [
  'authorId',
  'Unit Price',
  'größe',
  '名前',
  'select',
  'order',
  'limit',
  'not',
  'a.b',
  'a,b',
  'x"y',
  "it's",
  'back\\slash',
  '$1 or ?1',
  '(sum)',
  '2020',
  'row number',
  'is new',
  'the row',
  'total count',
  '; drop table',
];
/** 63 bytes, in which the last ones of two names differ. */
const LONG = 'Long'.padEnd(62, '_');
const LINES: CollectionDraft = {
  name: 'Order "Lines" / été',
  key: ['Line No'],
  fields: [
    { name: 'Line No', type: 'int4' },
    ...FIELDS.map((name) => ({ name, type: 'text' })),
    { name: 'x:y', type: 'text', unique: true, maxLength: 9 },
    { name: 'Parent', type: 'int4', references: { collection: 'Order "Lines" / été', onDelete: 'cascade' } },
  ],
  unique: [['a,b', 'x"y']],
};
const longTable = (name: string, to: string): CollectionDraft => ({
  name,
  key: ['id'],
  fields: [
    { name: 'id', type: 'int4' },
    {
      name: `${to}`,
      type: 'int4',
      references: { collection: to, onDelete: 'restrict', constraint: `${name.at(-1)}_fk` },
    },
  ],
});
const PATH = `/${encodeURIComponent(LINES.name)}`;
const COLLECTIONS = [LINES];
const name = (field: string) => encodeURIComponent(`"${field.replaceAll(/["\\]/g, '\\$&')}"`);
const RETURNED = { prefer: 'return=representation' };

describe.each(TWO_ENGINES)('any name on %s', (engine) => {
  let place: Place;
  let odd: Opened;
  beforeAll(async () => {
    place = PLACES[engine]!();
    odd = await place.open({ collections: COLLECTIONS });
  });
  afterAll(() => odd.close());

  test('a row is created, and its Location leads to it', async () => {
    const row = { 'Line No': 1, ...Object.fromEntries(FIELDS.map((field) => [field, `1 ${field}`])), 'x:y': 'one' };
    const created = await odd.fetch(PATH, sendJson('POST', row));
    expect(created.status).toBe(201);
    const location = created.headers.get('location')!;
    expect(location).toBe(`${PATH}?%22Line%20No%22=eq.1`);
    expect(await odd.list(location)).toEqual([{ ...row, Parent: null }]);
    expect(await (await odd.fetch(`${PATH}/1`)).json()).toEqual({ ...row, Parent: null });
    // The order of the declaration, also for names that are numbers.
    const text = await (await odd.fetch(location)).text();
    expect(text.indexOf('"2020"')).toBeGreaterThan(text.indexOf('"(sum)"'));
  });

  test.each(FIELDS)('%s is filtered, ordered, selected, grouped, changed and embedded', async (field) => {
    const child = { 'Line No': 2, [field]: 'child', Parent: 1 };
    expect(
      (await odd.fetch(`${PATH}?columns=${name('Line No')},${name(field)},Parent`, sendJson('POST', child))).status,
    ).toBe(201);
    const query = `select=${name('Line No')},alias:${name(field)}&${name(field)}=eq.child&order=${name(field)}.desc`;
    expect(await odd.list(`${PATH}?${query}`)).toEqual([{ 'Line No': 2, alias: 'child' }]);
    const logic = await odd.fetch(`${PATH}?select=${name(field)}&or=(${name(field)}.eq.child,${name(field)}.is.null)`, {
      headers: { prefer: 'count=exact' },
    });
    expect(logic.headers.get('content-range')).toBe('0-0/1');
    expect(await odd.list(`${PATH}?select=${name(field)},count()&order=${name(field)}`)).toHaveLength(2);
    const parent = await odd.list(
      `${PATH}?select=Parent(${name(field)})&Parent.${name(field)}=like.1*&Parent=not.is.null`,
    );
    expect(parent as unknown[]).toEqual([{ Parent: { [field]: `1 ${field}` } }]);
    const changed = await odd.fetch(
      `${PATH}?select=${name(field)}`,
      sendJson('PATCH', [{ 'Line No': 2, [field]: 'bulk' }], RETURNED),
    );
    expect(await changed.json()).toEqual([{ [field]: 'bulk' }]);
    const merged = await odd.fetch(
      `${PATH}?select=${name(field)}&on_conflict=${name('Line No')}`,
      sendJson(
        'POST',
        { 'Line No': 2, [field]: 'merged' },
        { prefer: 'return=representation,resolution=merge-duplicates' },
      ),
    );
    expect(await merged.json()).toEqual([{ [field]: 'merged' }]);
    const csv = await odd.fetch(`${PATH}?select=${name(field)}&${name('Line No')}=eq.2`, {
      headers: { accept: 'text/csv' },
    });
    const header = /["\n,]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
    expect(await csv.text()).toBe(`${header}\nmerged\n`);
    const removed = await odd.fetch(`${PATH}?${name(field)}=eq.merged&select=${name(field)}`, {
      method: 'DELETE',
      headers: RETURNED,
    });
    expect(await removed.json()).toEqual([{ [field]: 'merged' }]);
  });

  test('rows are written as CSV, and pages are linked', async () => {
    const cells = ['Line No', 'x:y', 'a,b', 'x"y'];
    const line = (values: readonly string[]) => values.map((each) => `"${each.replaceAll('"', '""')}"`).join(',');
    const text = [cells, ['5', 'five', 'a', 'b'], ['6', 'six', 'a', 'c']].map(line).join('\n');
    expect((await odd.fetch(PATH, send('POST', 'text/csv', text))).status).toBe(201);
    const page = await odd.fetch(`${PATH}?select=${name('x:y')}&order=${name('a,b')},${name('x"y')}.desc&limit=1`);
    const [, next] = /<([^>]*)>; rel="next"/.exec(page.headers.get('link')!)!;
    expect(await page.json()).toEqual([{ 'x:y': 'one' }]);
    expect(await odd.list(next!)).toEqual([{ 'x:y': 'six' }]);
    await odd.fetch(`${PATH}?${name('Line No')}=in.(5,6)`, { method: 'DELETE' });
  });

  test('an error names the field', async () => {
    const post = (row: object) => odd.fetch(PATH, sendJson('POST', row));
    const taken = await expectRefusal(await post({ 'Line No': 7, 'x:y': 'one' }), 409, '23505');
    expect(taken).toMatchObject({ field: 'x:y', value: 'one', details: 'Key (x:y)=(one) already exists.' });
    const both = await expectRefusal(await post({ 'Line No': 7, 'a,b': '1 a,b', 'x"y': '1 x"y' }), 409, '23505');
    expect(both.details).toBe('Key (a,b, x"y)=(1 a,b, 1 x"y) already exists.');
    const long = await expectRefusal(await post({ 'x:y': 'much too long' }), 400, '23514');
    expect(long.field).toBe('x:y');
    const missing = await expectRefusal(await post({ 'Line No': 7, Parent: 99 }), 409, '23503');
    expect(missing).toMatchObject({ field: 'Parent', value: 99 });
    await expectRefusal(await odd.fetch(`${PATH}?${name('x;y')}=eq.1`), 400, '42703');
  });

  test('changes are logged and undone', async () => {
    const update = { 'x"y': 'changed', 'back\\slash': 'changed' };
    await odd.fetch(`${PATH}?${name('Line No')}=eq.1`, sendJson('PATCH', update));
    const [change] = await odd.list('/changes?order=seq.desc&limit=1');
    expect(change).toMatchObject({ collection: LINES.name, key: '1', kind: 'update', after: update });
    const undone = await odd.fetch(`/changes/undo?seq=eq.${change!.seq}`, { method: 'POST' });
    expect(undone.status).toBe(200);
    const [row] = await odd.list(`${PATH}?${name('Line No')}=eq.1`);
    expect(row).toMatchObject({ 'x"y': '1 x"y', 'back\\slash': '1 back\\slash' });
  });

  test('another start changes nothing, and names are changed like any others', async () => {
    expect(await place.plan({ collections: COLLECTIONS })).toEqual({ steps: [], problems: [] });
    const other = PLACES[engine]!();
    const small = { ...LINES, name: 'lines', fields: LINES.fields.slice(0, 3), unique: [] };
    const first = await other.open({ collections: [small] });
    await first.post('lines', { 'Line No': 1, 'Unit Price': 'x' });
    await first.close();
    const fields = [LINES.fields[0]!, LINES.fields[1]!, { ...LINES.fields[2]!, name: 'unit price', was: 'Unit Price' }];
    const second = await other.open({ collections: [{ ...small, name: 'Lines', was: 'lines', fields }] });
    expect(await second.list(`/Lines?select=${name('unit price')}`)).toEqual([{ 'unit price': 'x' }]);
    await second.close();
    const fewer = { ...small, name: 'Lines', fields: fields.slice(0, 2) };
    const { problems } = await other.plan({ collections: [fewer] });
    expect(problems.map(({ allow }) => allow)).toEqual(['drop:Lines."unit price"']);
  });

  test('a collection may have the name of a page, which is then below /catalogue', async () => {
    const pages: Pages = (path) => (['/metrics', '/docs'].includes(path) ? new Response(`page ${path}`) : undefined);
    const metrics = { name: 'metrics', key: ['id'], fields: [{ name: 'id', type: 'int4' }] };
    const shop = await PLACES[engine]!().open({ collections: [metrics], options: { pages } });
    await shop.post('metrics', { id: 1 });
    expect(await shop.list('/metrics')).toEqual([{ id: 1 }]);
    for (const path of ['/catalogue/metrics', '/catalogue/docs', '/docs']) {
      expect(await (await shop.fetch(path)).text()).toBe(`page ${path.replace('/catalogue', '')}`);
    }
    await shop.close();
  });

  test('names of 63 bytes that differ at the end are distinct', async () => {
    const [one, two] = [`${LONG}1`, `${LONG}2`];
    const long = await PLACES[engine]!().open({ collections: [longTable(one, two), longTable(two, one)] });
    await long.post(two, { id: 2 });
    await long.post(one, { id: 1, [two]: 2 });
    expect(await long.list(`/${one}?select=id,${two}!1_fk(id,${one}!2_fk(id))`)).toEqual([
      { id: 1, [two]: { id: 2, [one]: null } },
    ] as never);
    await long.close();
  });
});

test('SQLite rejects names that differ only in case, and PostgreSQL accepts them', async () => {
  const field = (each: string) => ({ name: each, type: 'int4' });
  const declared = (names: readonly string[], more: CollectionDraft[] = []) => ({
    collections: [{ name: 'things', key: ['id'], fields: ['id', ...names].map(field) }, ...more],
  });
  expect(await refusalOf(PLACES.SQLite!(), declared(['size', 'Size']))).toContain(
    'size and Size of things differ only in case, which SQLite ignores in names. Rename one of them',
  );
  const others = [{ name: 'Things', key: ['id'], fields: [field('id')] }];
  expect(await refusalOf(PLACES.SQLite!(), declared([], others))).toContain('things and Things differ only in case');
  expect(await refusalOf(PLACES.SQLite!(), declared(['RowId']))).toContain(
    'things.RowId is the number of a row on SQLite',
  );
  if (PLACES.PostgreSQL === undefined) return;
  const opened = await PLACES.PostgreSQL().open(declared(['size', 'Size', 'RowId', 'true'], others));
  await opened.post('things', { id: 1, size: 2, Size: 3, RowId: 4, true: 5 });
  expect(await opened.list('/things')).toEqual([{ id: 1, size: 2, Size: 3, RowId: 4, true: 5 }]);
  await opened.close();
});

test('the description of odd names is valid, and a declaration that is written is read again', async () => {
  const catalogue = declareCatalogue({ collections: COLLECTIONS });
  const document = openApiDocument(describeCatalogue({ catalogue, rows: () => [] }));
  const text = JSON.stringify(document);
  const references = [...text.matchAll(/"#\/components\/(\w+)\/([^"]*)"/g)].map(([, , each]) => each!);
  expect(references.filter((each) => !/^[\w.-]+$/.test(each))).toEqual([]);
  expect(Object.keys(document.paths as object)).toContain(`${PATH}/{Line.20.No}`);
  const types = typeScriptTypes(catalogue);
  expect(types).toContain(`          'Unit Price': string | null;`);
  expect(types).toContain(`          authorId: string | null;`);
  expect(types).toContain(`columns: ['Parent'];`);
  const written = `collections:\n${printCollection(LINES)}`;
  expect((await parseDeclaration(written, 'collections.yaml')).collections).toEqual(COLLECTIONS);
});
