/**
 * Writes and reads over generated declarations with any types, rules and keys. Both engines accept the same rows,
 * reject the same rows with the same errors, and return every value unchanged.
 */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { declareCatalogue } from '../../src/collection/declaration.ts';
import type { Catalogue } from '../support/engines/catalogue.ts';
import { openDeclared } from '../support/engines/shop.ts';
import {
  chooseRow,
  chooseThings,
  type DeclaredThings,
  declarationOf,
  objectOf,
  type SentRow,
  UNTESTED_TYPES,
  type ValueOf,
  valuesFrom,
} from '../support/generated/declared-writes.ts';
import { type Chooser, chooserOf } from '../support/generated/embedding-requests.ts';
import { RUNS } from '../support/generated/generators.ts';
import { comparable } from '../support/generated/type-values.ts';
import { declared } from '../support/processes/declarations.ts';
import { send } from '../support/stories.ts';

const WRITES = 12;

interface Asked {
  readonly path: string;
  readonly init: RequestInit;
  /** The expected rows of a successful response, as they were sent. */
  readonly rows: readonly SentRow[];
}

async function ask(catalogue: Catalogue, { path, init }: Asked): Promise<Told> {
  const response = await catalogue.fetch(path, init);
  const text = await response.text();
  if (response.status < 400) return { status: response.status, text };
  const { hint: _, ...problem } = JSON.parse(text) as Record<string, unknown>;
  return { status: response.status, ...problem };
}

interface Told {
  readonly status: number;
  readonly code?: string;
  readonly message?: string;
  readonly text?: string;
}

/** Normalizes responses for comparison. A row in conflict with two others in two unique fields may name either. */
function comparedWith(told: Told, other: Told): object {
  if (told.code !== '23505' || other.code !== '23505') return told;
  return told.message === other.message ? told : { status: told.status, code: told.code };
}

function chooseWrite(choose: Chooser, anyOf: ValueOf, things: DeclaredThings, sent: SentRow[]): Asked {
  const shown = 'return=representation';
  const row = chooseRow(choose, anyOf, things, sent);
  const kind = choose.one(['insert', 'insert', 'insert', 'upsert', 'update', 'delete', 'replace'] as const);
  const where = things.key.map((name) => `${name}=eq.${filterOf(row.values[name]!)}`).join('&');
  if (kind === 'delete') {
    return { path: `/things?${where}`, init: { method: 'DELETE', headers: { prefer: shown } }, rows: [] };
  }
  sent.push(row);
  if (kind === 'update')
    return { path: `/things?${where}`, init: send('PATCH', JSON_TYPE, objectOf(row), { prefer: shown }), rows: [row] };
  if (kind === 'replace')
    return { path: `/things?${where}`, init: send('PUT', JSON_TYPE, objectOf(row), { prefer: shown }), rows: [row] };
  const rows = [row];
  if (choose.sometimes(30)) rows.push(chooseRow(choose, anyOf, things, []));
  sent.push(...rows.slice(1));
  const body = `[${rows.map(objectOf).join(',')}]`;
  const merge = kind === 'upsert' ? `, resolution=${choose.one(['merge', 'ignore'])}-duplicates` : '';
  const missing = choose.sometimes(60) ? ', missing=default' : '';
  return { path: '/things', init: send('POST', JSON_TYPE, body, { prefer: `${shown}${merge}${missing}` }), rows };
}

const JSON_TYPE = 'application/json';

function filterOf(written: string): string {
  const value = written.startsWith('"') ? (JSON.parse(written) as string) : written;
  return encodeURIComponent(value);
}

test('both engines accept, reject and return the same', () =>
  fc.assert(
    fc.asyncProperty(fc.gen(), async (generate) => {
      const choose = chooserOf(generate);
      const anyOf = valuesFrom(generate);
      const things = chooseThings(choose, anyOf);
      const text = declarationOf(things);
      const catalogue = declareCatalogue(await declared(text, 'collections.json'));
      const engines = await Promise.all(['SQLite', 'PostgreSQL'].map((name) => openDeclared(name, catalogue)));
      const sent: SentRow[] = [];
      const both = async (asked: Asked) => {
        const [one, other] = await Promise.all(engines.map((engine) => ask(engine, asked)));
        const said = { text, path: asked.path, init: asked.init };
        expect({ ...said, ...comparedWith(other!, one!) }).toEqual({ ...said, ...comparedWith(one!, other!) });
        return one!;
      };
      try {
        for (let count = 0; count < WRITES; count++) {
          const asked = chooseWrite(choose, anyOf, things, sent);
          const { status, text: shown } = await both(asked);
          if (status < 300 && asked.init.method !== 'DELETE') expectAsSent(asked.rows, shown!);
          await both({ path: '/things', init: {}, rows: [] });
        }
        for (const { name } of things.fields) {
          await both({ path: `/things?select=${name}&order=${name}.desc.nullslast`, init: {}, rows: [] });
        }
      } finally {
        await Promise.all(engines.map((engine) => engine.close()));
      }
    }),
    // Shrinking would open databases many times. The differing request is sufficient for debugging.
    { numRuns: 4 * RUNS, endOnFailure: true },
  ));

/** Expects that each returned row contains the values that were sent for it. */
function expectAsSent(rows: readonly SentRow[], shown: string): void {
  const all = comparable(shown) as Record<string, unknown>[];
  for (const row of all) {
    const candidates = rows.filter(({ isRight }) => isRight).map((each) => comparable(objectOf(each)) as object);
    if (candidates.length < rows.length) continue;
    const isAsSent = candidates.some((each) =>
      Object.entries(each).every(([name, value]) => Bun.deepEquals(row[name], value)),
    );
    expect({ shown, rows: rows.map(objectOf), isAsSent }).toEqual({ shown, rows: rows.map(objectOf), isAsSent: true });
  }
}

test('the generated declarations include every type', () => {
  expect(UNTESTED_TYPES).toEqual([]);
});
