/**
 * Any declaration can migrate to any other. Both engines report the same steps and keep the same rows. The resulting
 * tables equal those that the new declaration creates from scratch.
 */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { CollectionDraft, FieldDraft } from '../../src/collection/draft.ts';
import type { Row } from '../../src/collection/value.ts';
import { type Declaration, type Opened, PLACES, type Place } from '../support/engines/declared.ts';
import { RUNS } from '../support/generated/generators.ts';

/** Values of each type, with a default and rules that some of the values violate. */
const TYPES: Readonly<Record<string, { values: readonly unknown[]; default: unknown; rules: Partial<FieldDraft> }>> = {
  int4: { values: [0, 1, 7, -3], default: 1, rules: { minimum: 0 } },
  int8: { values: ['9007199254740993', 0, 1], default: 0, rules: { maximum: 100 } },
  'decimal(12,4)': { values: [1.5, 7, 0], default: 2.5, rules: { minimum: 1, maximum: 5 } },
  float8: { values: [0.25, 1, -7.5], default: 0, rules: {} },
  text: { values: ['', '1', 'true', '7.5', 'ä', '2024-02-29', '{}'], default: 'x', rules: { maxLength: 1 } },
  boolean: { values: [true, false], default: false, rules: {} },
  date: { values: ['2024-02-29', '1999-12-31'], default: '2000-01-01', rules: { minimum: '2000-01-01' } },
  timestamptz: { values: ['2024-02-29T12:00:00+00:00'], default: '2000-01-01T00:00:00+00:00', rules: {} },
  uuid: {
    values: ['00000000-0000-4000-8000-000000000001'],
    default: '00000000-0000-4000-8000-000000000002',
    rules: {},
  },
  json: { values: [{ a: 1 }, [1], 'x', 3], default: {}, rules: {} },
  'text[]': { values: [[], ['a', 'b']], default: ['z'], rules: {} },
};
const NAMES = ['a', 'b', 'c'];

const anyField = (name: string): fc.Arbitrary<FieldDraft> =>
  fc
    .record({
      type: fc.constantFrom(...Object.keys(TYPES)),
      required: fc.boolean(),
      hasDefault: fc.boolean(),
      hasRules: fc.boolean(),
      unique: fc.boolean(),
      indexed: fc.boolean(),
    })
    .map(({ type, required, hasDefault, hasRules, unique, indexed }) => ({
      name,
      type,
      ...(required ? { required } : {}),
      // A default that violates its own rules would be a mistake in the declaration.
      ...(hasDefault && !hasRules ? { default: TYPES[type]!.default } : {}),
      ...(hasRules ? TYPES[type]!.rules : {}),
      ...(unique && type !== 'json' && !type.endsWith('[]') ? { unique } : {}),
      ...(indexed ? { indexed } : {}),
    }));

const anyCollection: fc.Arbitrary<CollectionDraft> = fc
  .tuple(...NAMES.map((name) => fc.option(anyField(name), { nil: undefined, freq: 4 })))
  .map((fields) => ({
    name: 'things',
    key: ['id'],
    fields: [{ name: 'id', type: 'int4' }, ...fields.filter((field) => field !== undefined)],
  }));

const anyRows = fc.array(fc.tuple(...NAMES.map(() => fc.option(fc.nat(), { nil: undefined, freq: 3 }))), {
  maxLength: 4,
});

/** Chooses a value for each field by a number, and null without one. */
function rowsOf({ fields }: CollectionDraft, numbers: readonly (readonly (number | undefined)[])[]): object[] {
  return numbers.map((row) => {
    const cells = fields.slice(1).map(({ name, type }) => {
      const { values } = TYPES[type]!;
      const number = row[NAMES.indexOf(name)];
      return [name, number === undefined ? null : values[number % values.length]];
    });
    return Object.fromEntries(cells);
  });
}

/** Reads the table definition from the database, independent of column order. */
async function madeOf(engine: string, place: Place): Promise<unknown> {
  if (engine === 'SQLite') {
    const all = await place.ask("select name, sql from sqlite_schema where tbl_name = 'things' order by name");
    return all.map(({ name, sql }) => [
      name,
      String(sql)
        .replace(/\) strict$/, '')
        .split(/, (?=")/)
        .sort(),
    ]);
  }
  return place.ask(`select 'column' as kind, a.attname as name, concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attidentity) as what
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = 'things'::regclass and a.attnum > 0 and not a.attisdropped
    union all select 'constraint', conname, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'things'::regclass
    union all select 'index', c.relname, regexp_replace(pg_get_indexdef(c.oid), 'ON \\w+\\.', 'ON ') from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = 'things'::regclass
    order by 1, 2`);
}

interface Told {
  readonly steps: readonly string[];
  readonly words: readonly string[];
  readonly rows?: readonly Row[];
}

/** Migrates on one engine with every permission. Returns the reported steps and the resulting rows. */
async function migrated(engine: string, before: Declaration, after: Declaration, rows: object[]): Promise<Told> {
  const place = PLACES[engine]!();
  const first = await place.open(before);
  for (const row of rows)
    await first.fetch('/things', { method: 'POST', body: JSON.stringify(row), headers: JSON_BODY });
  await first.close();
  const { steps, problems } = await place.plan(after);
  const told = { steps: steps.filter((step) => !step.includes('index ')), words: problems.map(({ words }) => words) };
  const allowed = problems.flatMap(({ allow }) => allow ?? []);
  let second: Opened;
  try {
    second = await place.open({ ...after, allowed });
  } catch (error) {
    // Problems that no permission allows, or that a permitted change causes.
    expect((error as Error).message).toMatch(
      /nothing was changed|PostgreSQL rejected the connection|constraint failed/,
    );
    const unchanged = await place.open(before);
    const still = await unchanged.list('/things');
    await unchanged.close();
    return { ...told, rows: still };
  }
  const result = await second.list('/things?order=id');
  await second.close();
  expect(await place.plan(after)).toEqual({ steps: [], problems: [] });
  const fresh = PLACES[engine]!();
  await (await fresh.open(after)).close();
  expect(await madeOf(engine, place)).toEqual(await madeOf(engine, fresh));
  return { ...told, rows: result };
}

const JSON_BODY = { 'content-type': 'application/json' };

test('any declaration can migrate to any other, with the same result on both engines', async () => {
  await fc.assert(
    fc.asyncProperty(anyCollection, anyCollection, anyRows, async (before, after, numbers) => {
      const rows = rowsOf(before, numbers);
      const [one, other] = await Promise.all(
        Object.keys(PLACES).map((engine) =>
          migrated(engine, { collections: [before] }, { collections: [after] }, rows),
        ),
      );
      const withoutIds = ({ rows: all = [], ...told }: Told) => ({ ...told, rows: all.map(({ id, ...row }) => row) });
      expect(withoutIds(one!)).toEqual(withoutIds(other!));
    }),
    { numRuns: 4 * RUNS, endOnFailure: true, interruptAfterTimeLimit: 30_000 * RUNS },
  );
});
