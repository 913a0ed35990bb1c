/** A word that occurs in texts of two languages, with a stem in each. */
import { describe, expect, test } from 'bun:test';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { declaredBy } from '../../support/engines/roles.ts';
import { openDeclared } from '../../support/engines/shop.ts';
import { sendJson } from '../../support/stories.ts';

const DECLARATION = declaredBy(`
collections:
  products:
    fields: { id: int4, name: { type: text, translations: [de] } }
    search: { fields: { name: 1 }, language: english }
`);

describe.each(TWO_ENGINES)('words of two languages on %s', (engine) => {
  test('rows that are added one by one are found in their language', async () => {
    const shop = await openDeclared(engine, DECLARATION, {});
    const ids = async (lang: string, words: string) =>
      (await shop.list(`/products?search=wfts.${words}&select=id&order=id&lang=${lang}`)).map(({ id }) => id);
    const names = [
      ['Boats', null],
      ['Boats', 'Schiff'],
      ['Ship', 'Boats'],
      ['Boats', null],
      ['Boats', 'Schiff'],
    ];
    for (const [at, [name, name_de]] of names.entries()) {
      const row = { id: at + 1, name, name_de };
      expect((await shop.fetch('/products', sendJson('POST', row))).status).toBe(201);
      await ids('en', 'boats');
    }
    expect([await ids('en', 'boat'), await ids('en', 'boats')]).toEqual([
      [1, 2, 4, 5],
      [1, 2, 4, 5],
    ]);
    expect([await ids('de', 'boats'), await ids('de', '"boats"'), await ids('de', 'schiff')]).toEqual([
      [1, 3, 4],
      [1, 3, 4],
      [2, 5],
    ]);
    await shop.close();
  });
});
