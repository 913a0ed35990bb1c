/**
 * `Prefer: errors=all` equals what requests with single rows would say. A body fails with it exactly if it fails
 * without it, the list contains the error of the plain request, and both engines list the same errors.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { declaredBy, openRoled, type Roled } from '../support/engines/roles.ts';
import { RUNS } from '../support/generated/generators.ts';
import { sendJson } from '../support/stories.ts';

const CATALOGUE = declaredBy(`
collections:
  groups:
    fields: { id: int4 }
  items:
    unique: [[shelf, place]]
    fields:
      id: int4
      name: { type: text, required: true, maxLength: 3 }
      sku: { type: text, unique: true }
      price: { type: 'decimal(6,2)', minimum: 0 }
      stock: { type: int4, required: true, default: 0 }
      shelf: { type: text, default: A }
      place: int4
      group_id: { type: int4, references: groups }
      parent_id: { type: int4, references: items }
roles:
  shelf:
    items:
      read: { where: 'shelf=eq.A' }
      create: { where: 'shelf=eq.A&stock=gte.0', fields: [name, sku, stock, shelf, place, group_id] }
      update: { where: 'shelf=eq.A', fields: [name, sku, stock, place] }
  admin: all
`);

const ROWS = {
  groups: [{ id: 1 }, { id: 2 }],
  items: [
    { id: 1, name: 'one', sku: 'a', shelf: 'A', place: 1, group_id: 1 },
    { id: 2, name: 'two', sku: 'b', shelf: 'A', place: 2, parent_id: 1 },
    { id: 3, name: 'tri', sku: 'c', shelf: 'B', place: 1 },
    { id: 4, name: 'for', sku: null, shelf: 'B', place: null },
  ],
};

/** Few values, so that rows often conflict. Assigned keys are positive. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  id: [1, 2, 3, 4, -5, -6, -7, 'x', null],
  name: ['new', 'old', 'long name', null, 7],
  sku: ['a', 'b', 'c', 'd', 'e', 'f', null],
  price: [0, 1.5, '2', -1, 'dear', 99999, null],
  stock: [0, 5, -5, 1.5, null],
  shelf: ['A', 'B', 'C', null],
  place: [1, 2, 3, 4, null, '1e'],
  group_id: [1, 2, 3, null, 'g'],
  parent_id: [1, 4, -5, -6, -9, null],
};
const NAMES = Object.keys(VALUES);

type Item = Readonly<Record<string, unknown>>;

interface Asked {
  readonly role: string;
  readonly method: string;
  readonly path: string;
  readonly prefer: string;
  readonly rows: readonly unknown[];
}

const cell = (name: string) => fc.constantFrom(...VALUES[name]!);
const rowOf = (names: readonly string[]): fc.Arbitrary<Item> =>
  fc.record(Object.fromEntries(names.map((name) => [name, cell(name)])));

const anyRow = (names: readonly string[]): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 30, arbitrary: rowOf(names) },
    { weight: 1, arbitrary: rowOf([...names.slice(1), 'colour'].filter((name) => name in VALUES)) },
    { weight: 1, arbitrary: fc.constant(7) },
  );

const target = fc.constantFrom('id', 'sku');

const asked: fc.Arbitrary<Asked> = fc
  .record({
    role: fc.constantFrom('admin', 'admin', 'shelf'),
    kind: fc.constantFrom('insert', 'insert', 'merge', 'ignore', 'patch', 'patch'),
    on: target,
    names: fc.subarray(NAMES, { minLength: 2 }),
    isUnknown: fc.integer({ min: 0, max: 15 }).map((number) => number === 0),
  })
  .chain(({ role, kind, on, names, isUnknown }) => {
    const needed = kind === 'patch' ? [on] : kind === 'insert' ? ['name'] : ['name', on];
    // Only the write finds rows that refer to a key that changes.
    const isLeftOut = (name: string) => kind === 'patch' && name === 'id';
    const given = NAMES.filter((name) => needed.includes(name) || (names.includes(name) && !isLeftOut(name)));
    const byOn = `?on_conflict=${on}`;
    const terms = {
      insert: { method: 'POST', path: '/items', prefer: '' },
      merge: { method: 'POST', path: `/items${byOn}`, prefer: ', resolution=merge-duplicates' },
      ignore: { method: 'POST', path: `/items${byOn}`, prefer: ', resolution=ignore-duplicates' },
      patch: { method: 'PATCH', path: on === 'id' ? '/items' : `/items${byOn}`, prefer: '' },
    }[kind]!;
    const row = anyRow(given).map((each) => (isUnknown && typeof each === 'object' ? { ...each, colour: 1 } : each));
    return fc.array(row, { minLength: 1, maxLength: 7 }).map((rows) => ({ role, ...terms, rows }));
  });

interface Problem {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
  readonly index?: number;
  readonly value?: unknown;
  readonly errors?: readonly Problem[];
  readonly total?: number;
}

/** The error of a dry run; undefined for a success. */
async function problem(catalogue: Roled, request: Asked, errors: 'all' | 'first', rows = request.rows) {
  const { role, method, path, prefer } = request;
  const headers = { prefer: `tx=rollback, errors=${errors}${prefer}` };
  const response = await catalogue.as(role).fetch(path, sendJson(method, rows, headers));
  if (response.status < 400) return undefined;
  expect(response.status).toBeLessThan(500);
  return (await response.json()) as Problem;
}

const same = (one: Problem, other: Problem) =>
  one.code === other.code && one.message === other.message && one.field === other.field;

/** Messages that number a row differ by the position of the row. */
const unnumbered = ({ message, ...rest }: Problem): Problem => ({ ...rest, message: message.replace(/^row \d+ /, '') });

/** Errors that a row has only beside others. */
const WITHIN_BODY = ['PGRST102', '21000', '23505'];

/** Whether the other rows of the body remove the error of a row. */
function isRemovedByOthers({ method, path, prefer, rows }: Asked, error: Problem, index: number): boolean {
  const on = path.split('=')[1] ?? 'id';
  const isIgnored = rows.slice(0, index).some((row) => (row as Item)[on] === (rows[index] as Item)[on]);
  if (prefer.includes('ignore') && isIgnored) return true;
  const others = rows.filter((row, at) => at !== index && typeof row === 'object') as Item[];
  if (error.code === '23503' && error.field === 'parent_id') {
    const { parent_id } = rows[index] as Item;
    return others.some(({ id }) => id === parent_id);
  }
  // An earlier row may have released the value.
  return error.code === '23505' && (method === 'PATCH' || prefer.includes('merge')) && index > 0;
}

describe('Prefer: errors=all', () => {
  let catalogues: Roled[] = [];
  beforeAll(async () => {
    catalogues = [
      await openRoled('SQLite', CATALOGUE, ROWS),
      await openRoled('SQLite with large tables', CATALOGUE, ROWS),
      await openRoled('PostgreSQL', CATALOGUE, ROWS),
    ];
  });
  afterAll(() => Promise.all(catalogues.map((each) => each.close())));

  test('lists for each row what a request with this row says', () =>
    fc.assert(
      fc.asyncProperty(asked, async (request) => {
        const answers = await Promise.all(catalogues.map((each) => problem(each, request, 'all')));
        for (const answer of answers) expect(answer).toEqual(answers[0]!);
        for (const catalogue of catalogues) await check(catalogue, request, answers[0]);
      }),
      { numRuns: 30 * RUNS },
    ));

  async function check(catalogue: Roled, request: Asked, answer: Problem | undefined): Promise<void> {
    const plain = await problem(catalogue, request, 'first');
    expect(answer === undefined).toBe(plain === undefined);
    if (answer === undefined || plain === undefined) return;
    if (answer.errors === undefined) return expect(answer).toEqual(plain);
    expect(answer.total).toBe(answer.errors.length);
    const listed = answer.errors.some((each) => same(each, plain) && each.index === plain.index);
    const isCounted = plain.code === 'CAT404' || plain.index === undefined;
    expect({ plain, errors: answer.errors, isListed: listed || isCounted }).toMatchObject({ isListed: true });
    for (const [index, row] of request.rows.entries()) {
      const single = await problem(catalogue, request, 'first', [row]);
      const general = answer.errors.filter((each) => each.index === undefined);
      const own = answer.errors.filter((each) => each.index === index);
      const codes = own.map(({ code }) => code);
      if (single === undefined) {
        expect({ row, index, codes: codes.filter((code) => !WITHIN_BODY.includes(code)) }).toMatchObject({ codes: [] });
        continue;
      }
      const isSaid = [...general, ...own].some((each) => same(unnumbered(each), unnumbered(single)));
      // A role that does not see every row learns one error of a row.
      const isHidden = codes.includes('PGRST102') || (request.role !== 'admin' && codes.includes('21000'));
      const isOther = isRemovedByOthers(request, single, index) || isHidden;
      expect({ request, index, single, own, isSaid: isSaid || isOther }).toMatchObject({ isSaid: true });
    }
  }
});
