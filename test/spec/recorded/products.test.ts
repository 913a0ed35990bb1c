/**
 * Every recorded request returns the response of PostgREST on every engine. The size of a table matters to reads only,
 * so writes run once per database system. The departures are listed with their reasons.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  type Catalogue,
  ENGINES,
  openCatalogue,
  REFERENCE_PRODUCTS,
  TWO_ENGINES,
} from '../../support/engines/catalogue.ts';
import { disagreements, type RecordedCase, recordedAreas, recordedCases } from '../../support/recorded.ts';

const TIES = 'ties are broken by id, or by the groups, where PostgREST leaves them to chance';
const FOLDING = 'ilike and imatch fold all letters, where the recorded database folded only ASCII';
const REST = 'characters after the name or the list of a filter are rejected, and PostgREST ignores them';

/** Intentional departures. */
const DEPARTURES: Readonly<Record<string, string>> = {
  'aggregate-0987': TIES,
  'aggregate-1007': TIES,
  'order-1040': TIES,
  'like-0465': FOLDING,
  'like-0517': FOLDING,
  'match-0612': FOLDING,
  'in-0421': REST,
  'bad-filter-0880': REST,
  'insert-1575': 'each row of CSV has as many cells as the header, where PostgREST compares the rows with each other',
  'path-1458': 'the runtime knows no method FOO: it closes the connection, and no Request can be made with it',
};

const isWrite = (recorded: RecordedCase) => !['GET', 'HEAD', 'OPTIONS'].includes(recorded.method);

describe.each(Object.keys(ENGINES))('recorded responses on %s', (engine) => {
  const takesWrites = TWO_ENGINES.some((each) => each === engine);
  let catalogue: Catalogue;
  beforeAll(async () => {
    catalogue = await openCatalogue(engine);
  });
  afterAll(() => catalogue.close());

  async function restore(): Promise<boolean> {
    const changed = !Bun.deepEquals(await catalogue.list(), REFERENCE_PRODUCTS);
    if (changed) {
      await catalogue.close();
      catalogue = await openCatalogue(engine);
    }
    return changed;
  }

  describe.each(recordedAreas())('%s', (area) => {
    for (const recorded of recordedCases(area)) {
      const { id, method, path, headers, body } = recorded;
      if (id in DEPARTURES || (isWrite(recorded) && !takesWrites)) continue;
      test(`${id}: ${method} ${path}`, async () => {
        const ask = () => catalogue.fetch(path, { method, headers, body: isWrite(recorded) ? body : null });
        const differences = await disagreements(recorded, await ask());
        // The second read uses the row cache.
        if (!isWrite(recorded)) differences.push(...(await disagreements(recorded, await ask())));
        const changed = isWrite(recorded) && (await restore());
        expect(differences).toEqual([]);
        if (recorded.expect.status >= 400) expect(changed).toBe(false);
      });
    }
  });

  test('every departure refers to a recorded case', () => {
    const ids = recordedAreas().flatMap((area) => recordedCases(area).map(({ id }) => id));
    expect(Object.keys(DEPARTURES).filter((id) => !ids.includes(id))).toEqual([]);
  });
});
