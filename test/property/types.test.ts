/** Every accepted value of every type is returned unchanged, and both engines compare and sort it equally. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import Ajv from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { builtIn } from '../../src/collection/types/index.ts';
import { quote } from '../../src/dialect/names.ts';
import { parseCsv } from '../support/csv.ts';
import type { Catalogue } from '../support/engines/catalogue.ts';
import { openDeclared, thingsOf } from '../support/engines/shop.ts';
import { RUNS } from '../support/generated/generators.ts';
import { comparable, TYPE_VALUES } from '../support/generated/type-values.ts';
import { send } from '../support/stories.ts';

const ENGINES = ['SQLite', 'PostgreSQL'];
const NAMES = Object.keys(TYPE_VALUES);
/** One field for each type. Fields are numbered, because a type name is not a valid field name. */
const FIELDS = Object.fromEntries(NAMES.map((name, index) => [`f${index}`, name]));
const fieldOf = (typeName: string) => `f${NAMES.indexOf(typeName)}`;

const ROWS = 8;
/** Generates a value or null for each field. */
const row = fc.tuple(...NAMES.map((name) => fc.option(TYPE_VALUES[name]!, { freq: 8, nil: 'null' })));
const rows = fc.array(row, { minLength: ROWS, maxLength: ROWS });

function body(values: readonly (readonly string[])[]): string {
  const objects = values.map((cells, index) => {
    return `{"id":${index + 1},${cells.map((cell, at) => `"f${at}":${cell}`).join(',')}}`;
  });
  return `[${objects.join(',')}]`;
}

describe.each(NAMES.filter((name) => !name.startsWith('json')))('the schema of %s', (name) => {
  test('accepts every one-dimensional value', () => {
    const isValid = new Ajv({ strict: false, validateFormats: false }).compile(builtIn(name).schema);
    fc.assert(
      fc.property(TYPE_VALUES[name]!, (written) => {
        fc.pre(!written.startsWith('[['));
        expect({ written, valid: isValid(JSON.parse(written)) }).toEqual({ written, valid: true });
      }),
      { numRuns: 3 * RUNS },
    );
  });
});

describe('values of every type', () => {
  let engines: Catalogue[] = [];
  beforeAll(async () => {
    engines = await Promise.all(ENGINES.map((name) => openDeclared(name, thingsOf(FIELDS))));
  });
  afterAll(() => Promise.all(engines.map((engine) => engine.close())));

  /** Sends the same request to both engines and expects the same response. */
  async function both(path: string, init?: RequestInit): Promise<string> {
    const [one, other] = await Promise.all(
      engines.map(async (engine) => {
        const response = await engine.fetch(path, init);
        const text = await response.text();
        return { path, status: response.status, body: response.status < 400 ? text : JSON.parse(text).code };
      }),
    );
    expect(other).toEqual(one!);
    expect(one!.status).toBeLessThan(300);
    return one!.body as string;
  }

  async function store(values: readonly (readonly string[])[]): Promise<void> {
    await both('/things?id=not.is.null', { method: 'DELETE' });
    await both('/things', send('POST', 'application/json', body(values)));
  }

  test('are returned unchanged, as JSON and as CSV, and after being sent again', () =>
    fc.assert(
      fc.asyncProperty(rows, async (values) => {
        await store(values);
        const shown = await both('/things');
        expect(comparable(shown)).toEqual(comparable(body(values)));
        await both('/things?id=not.is.null', { method: 'DELETE' });
        const again = await both(
          '/things',
          send('POST', 'application/json', shown, { prefer: 'return=representation' }),
        );
        expect(again).toBe(shown);
        // A CSV cell of type json contains the JSON text, as in PostgREST.
        const columns = ['id', ...NAMES.filter((name) => !name.startsWith('json')).map(fieldOf)].join();
        const csv = await both(`/things?select=${columns}`, { headers: { accept: 'text/csv' } });
        const part = await both(`/things?select=${columns}`);
        await both('/things?id=not.is.null', { method: 'DELETE' });
        await both('/things', send('POST', 'text/csv', nullsIn(csv)));
        expect(await both(`/things?select=${columns}`)).toBe(part);
      }),
      { numRuns: 3 * RUNS },
    ));

  test('compare, sort, group and contain each other equally on both engines', () =>
    fc.assert(
      fc.asyncProperty(rows, fc.shuffledSubarray(NAMES, { minLength: 6, maxLength: 6 }), async (values, names) => {
        await store(values);
        for (const name of names) {
          const field = fieldOf(name);
          const { abilities, aggregates } = builtIn(name);
          await both(`/things?select=id&order=${field}.desc.nullslast`);
          await both(`/things?select=id&order=${field}`);
          await both(`/things?select=${field},count()`);
          for (const aggregate of ['max', 'min'] as const) {
            if (aggregates[aggregate] !== undefined) await both(`/things?select=${field}.${aggregate}()`);
          }
          const containments = abilities.includes('array')
            ? ['cs', 'cd', 'ov']
            : abilities.includes('json')
              ? ['cs', 'cd']
              : [];
          const csv = await both(`/things?select=${field}&${field}=not.is.null&limit=3`, {
            headers: { accept: 'text/csv' },
          });
          const texts = parseCsv(csv)
            .slice(1)
            .map(([cell]) => cell ?? '');
          for (const text of texts) {
            for (const operator of ['eq', 'neq', 'lt', 'gte', 'isdistinct', ...containments]) {
              await both(`/things?select=id&${field}=${operator}.${encodeURIComponent(text)}`);
            }
          }
          await both(`/things?select=id&${field}=in.${encodeURIComponent(`(${texts.map(quote).join(',')})`)}`);
        }
      }),
      { numRuns: 2 * RUNS },
    ));
});

/** Replaces empty cells by NULL: a response leaves null empty, but a body needs NULL. */
function nullsIn(csv: string): string {
  return csv.replace(/("(?:[^"]|"")*"|[^",\n]*)(,|\n)/g, (_, cell, separator) => (cell || 'NULL') + separator);
}
