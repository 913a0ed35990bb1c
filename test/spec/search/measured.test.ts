/** The quality of the search on public data. Skipped without the data; `RUNS=1` measures all of it on every engine. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import type { Row } from '../../../src/collection/value.ts';
import { parseCsv } from '../../support/csv.ts';
import { type Catalogue, TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { declaredBy } from '../../support/engines/roles.ts';
import { openDeclared } from '../../support/engines/shop.ts';

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
    expect(sum / queries.length).toBeGreaterThan(0.38);
    await shop.close();
  }, 120_000);

  test('a name with one wrong letter finds its row among the first ten', async () => {
    const [, ...lines] = parseCsv(readFileSync(`${DATA}taxonomy/categories.csv`, 'utf8'));
    const categories = lines.map(([id, , name]) => ({ id, name }) as Row);
    const shop = await openDeclared(engine, CATEGORIES, { categories });
    const every = isMeasured ? 7 : 250;
    const chosen = categories.filter(({ name }, at) => at % every === 0 && /\p{L}{5}/u.test(String(name)));
    let found = 0;
    for (const [at, { id, name }] of chosen.entries()) {
      const misspelt = String(name).replace(/\p{L}{5,}/u, (word) => {
        const place = 1 + (at % (word.length - 2));
        return at % 2 === 0
          ? word.slice(0, place) + word.slice(place + 1)
          : `${word.slice(0, place)}x${word.slice(place)}`;
      });
      if ((await idsOf(shop, 'categories', misspelt)).includes(id)) found += 1;
    }
    if (isMeasured) console.log(engine, 'misspelt names', found / chosen.length);
    expect(found / chosen.length).toBeGreaterThanOrEqual(0.95);
    await shop.close();
  }, 120_000);
});
