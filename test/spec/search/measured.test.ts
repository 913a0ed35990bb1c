/** The quality of the search on public data. Skipped without the data; `RUNS=1` measures all of it on every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import type { Row } from '../../../src/collection/value.ts';
import { foldWord } from '../../../src/text/words/tokens.ts';
import { parseCsv } from '../../support/csv.ts';
import { type Catalogue, TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { declaredBy } from '../../support/engines/roles.ts';
import { openDeclared } from '../../support/engines/shop.ts';
import { seededRandom } from '../../support/generated/runs.ts';

const DATA = new URL('../../../../shared/data/', import.meta.url).pathname;
const isMeasured = process.env.RUNS !== undefined;
const engines = isMeasured ? TWO_ENGINES : TWO_ENGINES.slice(0, 1);
const read = (file: string) => readFileSync(`${DATA}${file}`, 'utf8').trim().split('\n');

interface Query {
  readonly query: string;
  readonly relevant: Readonly<Record<string, number>>;
}

/** The normalized discounted cumulative gain of the first ten rows. */
function gainOf(ids: readonly number[], relevant: Query['relevant']): number {
  const gain = (grades: readonly number[]) =>
    grades.slice(0, 10).reduce((sum, grade, at) => sum + grade / Math.log2(at + 2), 0);
  const best = gain(Object.values(relevant).toSorted((one, other) => other - one));
  return best === 0 ? 0 : gain(ids.map((id) => relevant[id] ?? 0)) / best;
}

const DOCUMENTS = declaredBy(`
collections:
  documents:
    fields: { id: int4, title: text, text: text }
    search: { fields: { title: 2, text: 1 }, language: english }
`);
const CATEGORIES = declaredBy(`
collections:
  categories:
    fields: { id: text, name: text }
    search: { fields: { name: 1 }, language: english }
`);

const LONG_WORD = /\p{L}{5,}/u;

/** Replaces, removes, adds or swaps a letter anywhere. */
function misspell(word: string, random: () => number): string {
  const below = (count: number) => Math.floor(random() * count);
  const letter = 'abcdefghijklmnopqrstuvwxyz'[below(26)]!;
  const at = below(word.length);
  const swapAt = below(word.length - 1);
  const swapped = `${word.slice(0, swapAt)}${word[swapAt + 1]}${word[swapAt]}${word.slice(swapAt + 2)}`;
  const removed = word.slice(0, at) + word.slice(at + 1);
  const forms = [
    `${word.slice(0, at)}${letter}${word.slice(at + 1)}`,
    removed,
    `${word.slice(0, at)}${letter}${word.slice(at)}`,
    swapped,
  ];
  return forms[below(forms.length)]!;
}

async function idsOf(shop: Catalogue, collection: string, words: string): Promise<unknown[]> {
  const rows = await shop.list(`/${collection}?search=wfts.${encodeURIComponent(words)}&select=id&limit=10`);
  return rows.map(({ id }) => id);
}

describe.skipIf(!existsSync(DATA)).each(engines)('the quality of search on %s', (engine) => {
  test('questions find documents that were judged relevant', async () => {
    const documents = read('cranfield/documents.jsonl').map((line) => JSON.parse(line) as Row);
    const shop = await openDeclared(engine, DOCUMENTS, { documents });
    const queries = read('cranfield/queries.jsonl').map((line) => JSON.parse(line) as Query);
    let sum = 0;
    for (const { query, relevant } of queries) {
      sum += gainOf((await idsOf(shop, 'documents', query)).map(Number), relevant);
    }
    if (isMeasured) console.log(engine, 'nDCG@10', sum / queries.length);
    expect(sum / queries.length).toBeGreaterThanOrEqual(0.36);
    await shop.close();
  });

  describe('names of categories', () => {
    const every = isMeasured ? 7 : 250;
    let shop: Catalogue;
    let chosen: readonly Row[];
    beforeAll(async () => {
      const [, ...lines] = parseCsv(readFileSync(`${DATA}taxonomy/categories.csv`, 'utf8'));
      const categories = lines.map(([id, , name]) => ({ id, name }) as Row);
      shop = await openDeclared(engine, CATEGORIES, { categories });
      chosen = categories.filter(({ name }, at) => at % every === 0 && LONG_WORD.test(String(name)));
    });
    afterAll(() => shop.close());

    test('a name with one wrong letter finds its row among the first ten', async () => {
      const random = seededRandom();
      let found = 0;
      for (const { id, name } of chosen) {
        const misspelt = String(name).replace(LONG_WORD, (word) => misspell(word, random));
        if ((await idsOf(shop, 'categories', misspelt)).includes(id)) found += 1;
      }
      if (isMeasured) console.log(engine, 'misspelt names', found, 'of', chosen.length);
      expect(found / chosen.length).toBeGreaterThanOrEqual(0.95);
    }, 240_000);

    test('the first four letters of a word suggest it', async () => {
      let found = 0;
      const some = chosen.slice(0, 1_000);
      for (const { name } of some) {
        const word = foldWord(LONG_WORD.exec(String(name))![0]);
        const path = `/categories?search=wfts.${encodeURIComponent(word.slice(0, 4))}&facets=search->words&limit=0`;
        const response = await shop.fetch(path, { headers: { accept: 'application/vnd.catalogue.facets+json' } });
        const { facets } = (await response.json()) as { facets: Record<string, { value: string }[]> };
        if (facets['search->words']!.some(({ value }) => value === word)) found += 1;
      }
      if (isMeasured) console.log(engine, 'suggested words', found, 'of', some.length);
      expect(found).toBe(some.length);
    }, 240_000);
  });
});
