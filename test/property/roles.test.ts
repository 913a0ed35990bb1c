/**
 * Hidden data changes no byte of any response. Two databases that differ only in rows and fields hidden from a role
 * give the same status, headers and body for every request. A model predicts the visible data, and every engine returns
 * the same. Some effects cannot be hidden, so the requests avoid them. A write with a duplicate key or unique value
 * reveals a hidden row. A reference to a hidden row reveals that it exists. So does a reference from it to a row that
 * is deleted or gets another key. Assigned keys continue after hidden ones. Therefore written rows have their own keys,
 * keep them, and refer only to visible rows.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { openRoled, ROLE_ENGINES, type Roled } from '../support/engines/roles.ts';
import { CountedPairs, kindOf } from '../support/generated/counted-pairs.ts';
import { type Chooser, chooserOf } from '../support/generated/embedding-requests.ts';
import { RUNS } from '../support/generated/generators.ts';
import { BEGINNING, CLAIMS, differing, HIDDEN, listed, ROLED, SEES } from '../support/generated/role-model.ts';
import {
  chooseBatch,
  chooseRead,
  chooseWrite,
  everyWay,
  type RoleRequest,
} from '../support/generated/role-requests.ts';

const ROLES = Object.keys(SEES);
const REQUESTS = 20;
const pairs = new CountedPairs();

async function ask(catalogue: Roled, role: string, { path, init }: RoleRequest) {
  const response = await catalogue.as(role, CLAIMS).fetch(path, init);
  const headers = [...response.headers].filter(([name]) => name !== 'date');
  return { status: response.status, headers, body: await response.text() };
}

interface Databases {
  readonly engine: string;
  readonly pair: readonly Roled[];
}

async function expectSame({ engine, pair }: Databases, role: string, request: RoleRequest): Promise<void> {
  const [one, other] = await Promise.all(pair.map((each) => ask(each, role, request)));
  const said = { role, path: request.path, ...request.init };
  expect({ ...said, ...other! }).toEqual({ ...said, ...one! });
  expect({ ...said, isFault: one!.status >= 500 }).toEqual({ ...said, isFault: false });
  pairs.add(engine, kindOf(request), one!.status < 400);
}

/** Opens two databases that look the same to a role. */
async function opened(engine: string, role: string, choose: Chooser): Promise<Databases> {
  const open = (rows: typeof BEGINNING) => openRoled(engine, ROLED, rows, { plans: true });
  return { engine, pair: await Promise.all([BEGINNING, differing(choose, role)].map(open)) };
}

async function tryAny(databases: Databases, role: string, choose: Chooser): Promise<void> {
  for (let count = 0; count < REQUESTS; count++) {
    const write = count % 6 === 5 ? chooseBatch : chooseWrite;
    const request = count % 3 === 2 ? write(choose, role) : chooseRead(choose, role);
    await expectSame(databases, role, request);
    // Repeated requests check that cached responses, including those for other roles, do not differ.
    if (count % 4 === 0 && request.init.method !== 'GET') continue;
    if (count % 8 === 0) await Promise.all(databases.pair.map((each) => ask(each, 'admin', request)));
    if (request.init.method === 'GET') await expectSame(databases, role, request);
  }
}

/** Tests every nth combination, with different ones in each run. */
const STEPS: Readonly<Record<string, number>> = { SQLite: 20 };
const USUAL_STEP = 40;

async function tryEveryWay(databases: Databases, role: string, choose: Chooser, step: number): Promise<void> {
  let count = choose.number(0, step - 1);
  for (const { name, fields } of ROLED.collections.values()) {
    for (const field of fields) {
      for (const request of everyWay(name, field.name)) {
        if (count++ % step === 0) await expectSame(databases, role, request);
      }
    }
  }
}

for (const engine of ROLE_ENGINES) {
  describe(engine, () => {
    for (const role of ROLES) {
      test(`data hidden from ${role} changes no byte of a response`, () =>
        fc.assert(
          fc.asyncProperty(fc.gen(), async (generate) => {
            const choose = chooserOf(generate);
            const databases = await opened(engine, role, choose);
            try {
              await tryEveryWay(databases, role, choose, STEPS[engine] ?? USUAL_STEP);
              await tryAny(databases, role, choose);
            } finally {
              await Promise.all(databases.pair.map((each) => each.close()));
            }
          }),
          { numRuns: RUNS, endOnFailure: true },
        ));
    }

    test('each role sees what the model predicts, and no hidden data', async () => {
      const catalogue = await openRoled(engine, ROLED, BEGINNING);
      for (const role of ROLES) {
        for (const name of ROLED.collections.keys()) {
          const isRead = SEES[role]![name] !== undefined;
          const text = await catalogue.as(role, CLAIMS).text(`/${name}`);
          if (!isRead) {
            expect(JSON.parse(text)).toMatchObject({ code: '42501' });
            continue;
          }
          expect(text).not.toMatch(HIDDEN);
          const shown = JSON.parse(text) as Record<string, unknown>[];
          const fields = Object.keys(shown[0] ?? {});
          expect(shown.map((row) => row.id ?? [row.product_id, row.label_id])).toEqual(
            listed(role, name, fields).map((row) => row.id ?? [row.product_id, row.label_id]),
          );
        }
      }
      await catalogue.close();
    });
  });
}

test.each(ROLES)('every engine returns the same for %s', (role) =>
  fc.assert(
    fc.asyncProperty(fc.gen(), async (generate) => {
      const choose = chooserOf(generate);
      const engines = await Promise.all(ROLE_ENGINES.map((engine) => openRoled(engine, ROLED, BEGINNING)));
      try {
        for (let count = 0; count < REQUESTS; count++) {
          const request = count % 2 === 0 ? chooseRead(choose, role) : chooseWrite(choose, role);
          const said = { role, path: request.path, ...request.init };
          const [first, ...others] = await Promise.all(engines.map((each) => ask(each, role, request)));
          for (const { status, body } of others) {
            expect({ ...said, status, body }).toEqual({ ...said, status: first!.status, body: first!.body });
          }
        }
      } finally {
        await Promise.all(engines.map((each) => each.close()));
      }
    }),
    { numRuns: RUNS, endOnFailure: true },
  ),
);
