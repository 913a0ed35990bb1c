/** Embedding with any references and any depth: every engine returns the same rows as an in-memory model. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { declareCatalogue } from '../../src/collection/declaration.ts';
import { type Catalogue, ENGINES } from '../support/engines/catalogue.ts';
import { openDeclared, openShop, SHOP_COLLECTIONS, SHOP_SHOWN } from '../support/engines/shop.ts';
import { type Related, show } from '../support/generated/embedding-model.ts';
import {
  type Chooser,
  chooseRelated,
  chooseRequest,
  chooserOf,
  pathOf,
} from '../support/generated/embedding-requests.ts';
import { RUNS } from '../support/generated/generators.ts';

const NAMES = Object.keys(ENGINES);

const FORMS: readonly Readonly<Record<string, string>>[] = [
  {},
  { prefer: 'count=exact' },
  { accept: 'text/csv' },
  { accept: 'application/vnd.pgrst.array+json;nulls=stripped' },
];

/** The service caches rows only if the data has not changed for this long since the first read. */
const STILL_MS = 60;

/** Reads twice, because the second read uses the row cache. */
async function ask(catalogue: Catalogue, path: string, headers: Readonly<Record<string, string>>) {
  const read = async () => {
    const response = await catalogue.fetch(path, { headers });
    return { status: response.status, range: response.headers.get('content-range'), body: await response.text() };
  };
  const first = await read();
  expect({ path, headers, ...(await read()) }).toEqual({ path, headers, ...first });
  return first;
}

/** Sends a generated request to all engines. CSV and nulls=stripped responses are compared only between engines. */
async function expectAgreement(
  engines: readonly Catalogue[],
  related: Related,
  choose: Chooser,
  levels: number,
): Promise<void> {
  const request = chooseRequest(choose, related, levels);
  const headers = choose.one(FORMS);
  const path = pathOf(request);
  const { rows, total } = show(request, related);
  const answers = await Promise.all(engines.map((engine) => ask(engine, path, headers)));
  for (const [index, { status, range, body }] of answers.entries()) {
    const said = { path, headers, engine: NAMES[index] };
    if (status === 416) {
      expect({ ...said, isPastTheEnd: request.offset! > total }).toEqual({ ...said, isPastTheEnd: true });
      continue;
    }
    expect({ ...said, status, body }).toEqual({ ...said, status: status === 206 ? 206 : 200, body });
    if (headers.prefer !== undefined)
      expect({ ...said, total: range!.split('/')[1] }).toEqual({ ...said, total: `${total}` });
    if (headers.accept === undefined) expect({ ...said, rows: JSON.parse(body) }).toEqual({ ...said, rows });
    else expect({ ...said, status, range, body }).toEqual({ ...said, ...answers[0]! });
  }
}

const REQUESTS = 15;

test('over collections with arbitrary references', () =>
  fc.assert(
    fc.asyncProperty(fc.gen(), async (generate) => {
      const choose = chooserOf(generate);
      const related = chooseRelated(choose);
      const catalogue = declareCatalogue({ collections: related.collections });
      const engines = await Promise.all(NAMES.map((name) => openDeclared(name, catalogue, related.rows)));
      try {
        await Promise.all(engines.map((engine) => engine.fetch(`/${related.collections[0]!.name}`)));
        await Bun.sleep(STILL_MS);
        for (let count = 0; count < REQUESTS; count++) await expectAgreement(engines, related, choose, 4);
      } finally {
        await Promise.all(engines.map((engine) => engine.close()));
      }
    }),
    // Shrinking would open databases many times. The differing request is sufficient for debugging.
    { numRuns: 2 * RUNS, endOnFailure: true },
  ));

describe('over values of every type', () => {
  let engines: Catalogue[] = [];
  beforeAll(async () => {
    engines = await Promise.all(NAMES.map(openShop));
  });
  afterAll(() => Promise.all(engines.map((engine) => engine.close())));

  test('in the shop', () =>
    fc.assert(
      fc.asyncProperty(fc.gen(), (generate) =>
        expectAgreement(engines, { collections: SHOP_COLLECTIONS, rows: SHOP_SHOWN }, chooserOf(generate), 2),
      ),
      { numRuns: 6 * RUNS, endOnFailure: true },
    ));
});
