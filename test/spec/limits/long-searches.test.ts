/**
 * Full-text search with long texts: a text with very many distinct words does not break other searches. It is found by
 * its first words.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { MAX_SEARCHED_LENGTH } from '../../../src/base/limits/engine.ts';
import type { Row } from '../../../src/collection/value.ts';
import type { Catalogue } from '../../support/engines/catalogue.ts';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { openDeclared, thingsOf } from '../../support/engines/shop.ts';
import { sendJson } from '../../support/stories.ts';

/** A text that consists of distinct words. PostgreSQL cannot search a whole megabyte of them. */
function textOf(word: (index: number) => string, length = 1.2 * MAX_SEARCHED_LENGTH): string {
  let text = '';
  for (let index = 0; text.length < length; index++) text += `${word(index)} `;
  return text;
}

const sign = (index: number) => String.fromCodePoint(0x20000 + (index % 40_000));
const LONG = {
  words: textOf((index) => `w${index.toString(36)}`, 1_000_000),
  hyphens: textOf((index) => `a${index.toString(36)}-b${index.toString(36)}`),
  addresses: textOf((index) => `h${index.toString(36)}.com/p${index.toString(36)}`),
  signs: textOf((index) => `${sign(index)}${sign(index * 7 + 1)}-${sign(index * 3)}`).toWellFormed(),
};

describe.each(TWO_ENGINES)('full-text search with long texts in the table on %s', (engine) => {
  let things: Catalogue;
  beforeAll(async () => {
    things = await openDeclared(engine, thingsOf({ note: 'text', doc: 'json', rest: 'text' }));
    const rows = [
      { id: 1, note: 'sea buckthorn', doc: { a: 'sea buckthorn' } },
      ...Object.values(LONG).map((note, index) => {
        // A row of more than a megabyte is too long for the search index of SQLite, which would take most of the time.
        return { id: index + 2, note: `first ${note}`, doc: null, rest: 'x'.repeat(100_000) };
      }),
      { id: 9, note: null, doc: { a: LONG.words.slice(0, 900_000) } },
      { id: 10, note: `${'x '.repeat(MAX_SEARCHED_LENGTH / 2 - 3)}inside outside`, doc: null },
    ];
    for (const row of rows) {
      expect((await things.fetch('/things', sendJson('POST', row))).status).toBe(201);
    }
  });
  afterAll(() => things.close());

  const ids = async (query: string) =>
    (await things.list(`/things?select=id&order=id&${query}`)).map(({ id }: Row) => id);

  test('finds short texts', async () => {
    expect(await ids('note=fts.buckthorn')).toEqual([1]);
    expect(await ids('note=phfts.sea buckthorn')).toEqual([1]);
  });

  test('finds long texts by their first words', async () => {
    expect(await ids('note=wfts.first')).toEqual([2, 3, 4, 5]);
    expect(await ids('note=not.fts.first')).toEqual([1, 10]);
  });

  test('finds words up to a length of the text', async () => {
    expect(await ids('note=fts(simple).insid')).toEqual([]);
    expect(await ids('note=fts(simple).inside')).toEqual([10]);
    expect(await ids('note=fts(simple).outside')).toEqual([]);
  });

  test('finds texts in json', async () => {
    expect(await ids('doc=fts.buckthorn')).toEqual([1]);
    expect(await ids('doc=not.fts.buckthorn')).toEqual([9]);
  });
});
