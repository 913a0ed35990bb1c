/** A reference is visible only if its fields are: no embedding leads through a field that a role may not read. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openApiPages } from '../../../src/openapi/pages.ts';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { declaredBy, openRoled, type Roled } from '../../support/engines/roles.ts';
import { gradient } from '../../support/pictures.ts';
import { send, sendJson } from '../../support/stories.ts';

const SHOP = declaredBy(`
collections:
  products:
    fields: { id: int4, name: text, image: image, draft_image: image, drafts: 'image[]' }
  people:
    fields: { id: int4, name: text, passport: image, photo: image }
  vault:
    fields: { id: int4, scan: image }
  shelves:
    key: [hall, row]
    fields: { hall: int4, row: int4, label: text }
  boxes:
    fields: { id: int4, hall: int4, row: int4, spare_hall: int4, spare_row: int4 }
    references:
      - { fields: [hall, row], collection: shelves }
      - { fields: [spare_hall, spare_row], collection: shelves }
roles:
  anonymous:
    products: { read: { fields: [id, name, image] } }
    people: { read: { fields: [id, name] } }
    shelves: { read: true }
    boxes: { read: { fields: [id, hall, row, spare_hall] } }
  clerk:
    products: { read: { fields: [id, name, image] } }
    people: { read: { fields: [id, name, photo] } }
  admin: all
`);

const PAGES = openApiPages({ catalogue: SHOP, rows: () => [], version: '1.0.0', license: 'MIT' }, () => '/');

describe.each(TWO_ENGINES)('%s: references by hidden fields', (engine) => {
  let shop: Roled;
  beforeAll(async () => {
    shop = await openRoled(engine, SHOP, {}, { pages: PAGES });
    const { fetch } = shop.as('admin');
    const upload = await fetch('/files', send('POST', 'image/png', gradient(20, 20, 1)));
    const { id: file } = (await upload.json()) as { id: string };
    const post = async (name: string, rows: unknown) =>
      expect((await fetch(`/${name}`, sendJson('POST', rows))).status).toBe(201);
    await post('products', [
      { id: 1, name: 'public', image: file, draft_image: null, drafts: null },
      { id: 2, name: 'other', image: null, draft_image: file, drafts: [file] },
    ]);
    await post('people', [
      { id: 7, name: 'Ann', passport: file, photo: null },
      { id: 8, name: 'Bob', passport: null, photo: file },
    ]);
    await post('vault', { id: 1, scan: file });
    await post('shelves', { hall: 1, row: 2, label: 'top' });
    await post('boxes', { id: 1, hall: 1, row: 2, spare_hall: 1, spare_row: 2 });
  });
  afterAll(() => shop.close());

  const ask = async (role: string | undefined, path: string) => {
    const response = await shop.as(role).fetch(path);
    return { status: response.status, text: await response.text() };
  };

  test.each([
    '/files?select=id,people(id,name)',
    '/files?select=id,people!passport(id,name)',
    '/files?select=id,people!people_passport_fkey(id,name)',
    '/files?select=id,people_passport_fkey(id,name)',
    '/files?select=id,people!inner(id)&people.id=eq.7',
    '/files?people=not.is.null&select=id,people()',
    '/files?select=people(count())',
    '/files?select=id,...people(name)',
    '/files?select=id&order=people(name)',
    '/files?select=id,products!draft_image(id,name)',
    '/files?select=id,products!drafts(id,name)',
    '/products?select=id,image(id,people(id,name))',
    '/products?select=id,image(people(id))',
    '/products?select=id,image!inner(people!inner(id))&image.people.name=eq.Ann',
    '/products?select=id,image(products!draft_image(id))',
    '/products?select=id,people(id,name)',
    '/people?select=id,passport(id)',
    '/boxes?select=id,shelves!boxes_spare_hall_fkey(label)',
    '/boxes?select=id,shelves!boxes_spare_hall_spare_row_fkey(label)',
    '/shelves?select=label,boxes!boxes_spare_hall_spare_row_fkey(id)',
  ])('%s finds no relationship', async (path) => {
    const { status, text } = await ask(undefined, path);
    expect({ text, isRejected: status === 400 || status === 401 }).toEqual({ text, isRejected: true });
    expect(text).not.toMatch(/Ann|other|top|"id":/);
  });

  test.each(['/files?select=people!passport(id)', '/people?select=passport(id)', '/files?select=products!drafts(id)'])(
    '%s names a hidden field, as a filter would',
    async (path) => {
      expect(await ask(undefined, path)).toMatchObject({ status: 401, text: expect.stringContaining('"42501"') });
    },
  );

  test('a visible reference is found by its collection, although others are hidden', async () => {
    expect(await shop.as(undefined).list('/files?select=products(id,name)')).toEqual([
      { products: [{ id: 1, name: 'public' }] } as never,
    ]);
    expect(await shop.as('clerk').list('/files?select=people(name)')).toEqual([{ people: [{ name: 'Bob' }] } as never]);
    expect(await shop.as(undefined).list('/boxes?select=shelves(label)')).toEqual([
      { shelves: { label: 'top' } } as never,
    ]);
    expect(await shop.as(undefined).list('/shelves?select=boxes(id)')).toEqual([{ boxes: [{ id: 1 }] } as never]);
  });

  test('errors and descriptions name neither hidden references nor their fields', async () => {
    const { status } = await ask('admin', '/files?select=people(id)');
    expect(status).toBe(300);
    for (const path of [
      '/files?select=people!x(id)',
      '/files?select=x(id)',
      '/boxes?select=x(id)',
      '/shelves?select=x(id)',
    ]) {
      const { text } = await ask(undefined, path);
      expect(text).toContain('PGRST200');
      expect(text).not.toMatch(/passport|photo|people,|vault|draft|spare_row/);
    }
    const { text } = await ask(undefined, '/openapi.json');
    expect(text).toContain('a list of products');
    expect(text).not.toMatch(/passport|photo|vault|draft|spare_row/);
  });
});
