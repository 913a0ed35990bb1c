/** Words of two languages with a stem in each, and words of scripts without spaces. */
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

/** The forms of each word. A phrase finds all of them, and no other word. */
const FORMS = {
  german: [
    ['Blau', 'blaue', 'blauer', 'blaues', 'blauen'],
    ['Frau', 'Frauen'],
    ['Müller', 'Mueller', 'MUELLER', 'Muller'],
    ['Fuß', 'Füße', 'Fuesse', 'FUSS'],
    ['Hals', 'Hälse', 'Haelse'],
    ['Auto', 'Autos'],
    ['kabellos', 'kabellose', 'kabelloses'],
    ['Maus', 'Mäuse'],
    ['Preis', 'Preise'],
  ],
  french: [
    ['manteau', 'manteaux'],
    ['cheval', 'chevaux'],
    ['noir', 'noire', 'noirs', 'noires'],
    ['gris', 'grise', 'grises'],
    ['léger', 'légère', 'légers'],
    ['clé', 'clés', 'CLES'],
    ['île', 'îles'],
    ['bijou', 'bijoux'],
  ],
  spanish: [
    ['zapato', 'zapatos'],
    ['gris', 'grises'],
    ['país', 'países', 'paises'],
    ['autobús', 'autobuses'],
    ['clase', 'clases'],
    ['pie', 'pies'],
    ['luz', 'luces'],
    ['rojo', 'roja', 'rojos', 'rojas'],
  ],
};

describe.each(TWO_ENGINES)('word forms on %s', (engine) => {
  test.each(Object.entries(FORMS))('of %s', async (language, forms) => {
    const words = declaredBy(`
collections:
  words: { fields: { id: int4, word: text }, search: { fields: { word: 1 }, language: ${language} } }
`);
    const rows = forms.flatMap((each, word) => each.map((form, nth) => ({ id: 10 * word + nth, word: form })));
    const shop = await openDeclared(engine, words, { words: rows });
    const found = async (form: string) => shop.list(`/words?search=wfts."${form}"&select=id&order=id`);
    for (const [word, each] of forms.entries()) {
      const all = each.map((_, nth) => ({ id: 10 * word + nth }));
      for (const form of each) expect([form, await found(form)]).toEqual([form, all]);
    }
    await shop.close();
  });
});

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
    const others = ['赤い自転車', '无线鼠标', 'ไวน์แดง', '5G対応スマートフォン'];
    const rows = others.map((name, at) => ({ id: at + 11, name }));
    expect((await shop.fetch('/products', sendJson('POST', rows))).status).toBe(201);
    const found = ['自転車', '鼠标', 'แดง', '5G', 'スマ', 'フォン', '車'].map((words) => ids('en', words));
    expect(await Promise.all(found)).toEqual([[11], [12], [13], [14], [14], [14], []]);
    const [marked] = await shop.list('/products?search=wfts.自転車&select=search->highlight');
    expect(JSON.stringify(marked)).toContain('赤い<mark>自転車</mark>');
    await shop.close();
  });
});
