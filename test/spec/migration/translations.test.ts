/** Languages of a changed declaration: added, renamed and removed, with their texts and indexes. */
import { expect, test } from 'bun:test';
import { parseDeclaration } from '../../../src/declare/read.ts';
import { PLACES } from '../../support/engines/declared.ts';

const declared = (fields: string) =>
  parseDeclaration(
    `collections: { products: { fields: { id: int4, ${fields} }, search: { fields: { ${fields.split(':')[0]}: 1 } } } }`,
    'collections.yaml',
  );
const ROW = { id: 1, name: 'Boot', name_pt_br: 'Bota', name_de: 'Stiefel' };

test.each(Object.keys(PLACES))('a renamed language or field keeps its translations on %s', async (engine) => {
  const place = PLACES[engine]!();
  const names = (languages: string) => `name: { type: text, indexed: true, translations: [${languages}] }`;
  const during = async (fields: string, path: string, allowed?: readonly string[]) => {
    const shop = await place.open({ ...declared(fields), ...(allowed && { allowed }) });
    try {
      if ((await shop.list('/products')).length === 0) await shop.post('products', [ROW]);
      expect((await place.plan(declared(fields))).steps).toEqual([]);
      return (await shop.list(path))[0];
    } finally {
      await shop.close();
    }
  };
  expect(await during(names('pt-BR, de'), '/products')).toEqual(ROW);
  const { name_pt_br: name_pt, ...rest } = ROW;
  expect(
    await during(names('{ language: pt, was: pt-BR }, de'), '/products?search=wfts.bota&lang=pt&order=name'),
  ).toEqual({
    ...rest,
    name: 'Bota',
    name_pt,
  });
  const [problem] = (await place.plan(declared(names('pt')))).problems;
  expect(problem).toMatchObject({ words: 'products.name_de is no longer declared, and 1 row has a value' });
  expect((await place.plan(declared(names('pt, fr')))).problems[0]!.words).toEndWith(
    'if name_fr is its new name, declare it with { language: fr, was: de }',
  );
  expect(await during(names('pt, fr'), '/products', [problem!.allow!])).toEqual({
    id: 1,
    name: 'Boot',
    name_pt,
    name_fr: null,
  });
  const title = 'title: { type: text, indexed: true, was: name, translations: [pt, fr] }';
  expect(await during(title, '/products?lang=pt&title=eq.Bota')).toMatchObject({ title: 'Bota', title_pt: 'Bota' });
  const kept = 'title: text, title_pt: text, title_fr: text';
  expect(await during(kept, '/products')).toEqual({ id: 1, title: 'Boot', title_pt: 'Bota', title_fr: null });
});
