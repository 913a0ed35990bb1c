/**
 * Reads that differ only in their values share a compiled statement. Each gets the same answer, whichever of them came
 * first, from every engine, for every caller.
 */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { quote } from '../../src/dialect/names.ts';
import { declaredBy, openRoled, ROLE_ENGINES, type Roled } from '../support/engines/roles.ts';
import { type Chooser, chooserOf } from '../support/generated/embedding-requests.ts';
import { RUNS } from '../support/generated/generators.ts';
import { TYPE_VALUES } from '../support/generated/type-values.ts';
import { send } from '../support/stories.ts';

const TYPES =
  'int2 int4 int8 decimal(12,4) decimal(18,6) float4 float8 text boolean date time timestamp timestamptz uuid'.split(
    ' ',
  );
/** A plain and an indexed field of each type. */
const FIELDS = TYPES.flatMap((type, at) =>
  [false, true].map((indexed) => ({ name: `f${at}${indexed}`, type, indexed })),
);
const READABLE = FIELDS.filter((_, at) => at % 3 > 0).map(({ name }) => name);
const CATALOGUE = declaredBy(`
collections:
  things:
    fields:
      id: int4
      owner: { type: text, indexed: true }
      begins: timestamptz
${FIELDS.map(({ name, type, indexed }) => `      ${name}: { type: '${type}', indexed: ${indexed} }`).join('\n')}
roles:
  owner: { things: { read: { where: 'owner=eq.{claims.sub}' } } }
  guest:
    things:
      read: { where: 'begins=lte.{now}&or=(f1true.gt.{claims.level},f1true.is.null)', fields: [id, f1true, ${READABLE}] }
  admin: all
`);

const ROWS = 40;
/** Forms of requests in a run, and requests of each form. */
const FORMS = 20;
const VALUES = 5;
const AT_ONCE = 8;

interface ReadRequest {
  readonly role: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

type Stored = ReadonlyMap<string, readonly string[]>;

function chooseRows(choose: Chooser, generate: fc.GeneratorValue): { body: string; stored: Stored } {
  const stored = new Map<string, string[]>();
  const cell = (name: string, type: string) => {
    const known = stored.get(name) ?? [];
    if (choose.sometimes(15)) return 'null';
    if (choose.sometimes(40) && known.length > 0) return choose.one(known);
    const value = generate(() => TYPE_VALUES[type]!);
    stored.set(name, [...known, value]);
    return value;
  };
  const rows = Array.from({ length: ROWS }, (_, at) => {
    const cells = FIELDS.map(({ name, type }) => `"${name}":${cell(name, type)}`);
    const begins = choose.one(['2020-01-01', '2999-01-01']);
    return `{"id":${at + 1},"owner":"${choose.one(['ann', 'bob'])}","begins":"${begins}",${cells}}`;
  });
  return { body: `[${rows}]`, stored };
}

const OPERATORS = 'eq eq eq neq gt gte lt lte not.eq not.gt isdistinct in is eq(any)'.split(' ');
const ACCEPTED = ['text/csv', 'application/x-ndjson', 'application/vnd.pgrst.array+json;nulls=stripped'];

/** Requests of one form with other values. */
function chooseForm(choose: Chooser, generate: fc.GeneratorValue, stored: Stored): ReadRequest[] {
  const role = choose.one(['admin', 'owner', 'guest']);
  const field = () => choose.one(FIELDS).name;
  const tests = Array.from({ length: choose.number(0, 3) }, () => ({
    ...(choose.sometimes(20) ? { name: 'id', type: 'int4' } : choose.one(FIELDS)),
    operator: choose.one(OPERATORS),
  }));
  const joiner = choose.sometimes(40) && tests.length > 0 ? choose.one(['or', 'and', 'not.or', 'not.and']) : undefined;
  const select = choose.one(['', '', 'select=id', `select=id,${field()}`, `select=id,v:${field()}::text`]);
  const direction = choose.one(['', '.desc', '.desc.nullslast', '.nullsfirst']);
  const order = choose.one(['', 'order=id.desc', `order=${field()}${direction}`, `order=${field()},${field()}.desc`]);
  const [hasLimit, hasOffset] = [choose.sometimes(60), choose.sometimes(30)];
  const headers: Record<string, string> = {
    ...(choose.sometimes(10) && { accept: choose.one(ACCEPTED) }),
    ...(choose.sometimes(10) && { prefer: 'count=exact' }),
  };
  const chooseValue = (name: string, type: string) => {
    if (choose.sometimes(5)) return choose.one(['null', '', '0', 'x', '99999999999999999999', '-0']);
    const known = stored.get(name) ?? [];
    const json = choose.sometimes(60) && known.length > 0 ? choose.one(known) : generate(() => TYPE_VALUES[type]!);
    return json.startsWith('"') ? (JSON.parse(json) as string) : json;
  };
  const filterOf = ({ name, type, operator }: (typeof tests)[number]) => {
    const list = () => Array.from({ length: choose.number(0, 3) }, () => quote(chooseValue(name, type)));
    const enclosed =
      operator === 'is'
        ? choose.one(['null', 'not_null', 'true', 'unknown'])
        : operator === 'in'
          ? `(${list()})`
          : operator === 'eq(any)'
            ? `{${list()}}`
            : undefined;
    const text = enclosed ?? chooseValue(name, type);
    return joiner === undefined
      ? `${name}=${operator}.${encodeURIComponent(text)}`
      : encodeURIComponent(`${name}.${operator}.${enclosed ?? quote(text)}`);
  };
  return Array.from({ length: VALUES }, () => {
    const filters = tests.map(filterOf);
    const parts = [
      ...(joiner === undefined ? filters : [`${joiner}=(${filters})`]),
      select,
      order,
      hasLimit ? `limit=${choose.one([0, 1, 2, 3, 5, 50])}` : '',
      hasOffset ? `offset=${choose.one([0, 1, 4, 50])}` : '',
    ];
    const claims = { sub: choose.one(['ann', 'bob', 'eve']), level: choose.one([-5, 0, 1, 2_000_000]) };
    return { role, claims, headers, path: `/things?${parts.filter(Boolean).join('&')}` };
  });
}

async function answerTo(catalogue: Roled, { role, claims, path, headers }: ReadRequest) {
  const response = await catalogue.as(role, claims).fetch(path, { headers });
  const text = await response.text();
  const { status } = response;
  if (status >= 400) return { path, role, claims, status, text: (JSON.parse(text) as { code: string }).code };
  const shown = ['content-range', 'content-location', 'link'].map((name) => response.headers.get(name));
  return { path, role, claims, status, text, shown };
}

/** The answers of a service that has answered nothing before. */
async function answersTo(engine: string, body: string, requests: readonly ReadRequest[]): Promise<unknown[]> {
  const catalogue = await openRoled(engine, CATALOGUE, {});
  try {
    expect((await catalogue.as('admin').fetch('/things', send('POST', 'application/json', body))).status).toBe(201);
    const answers: unknown[] = [];
    for (let from = 0; from < requests.length; from += AT_ONCE) {
      const some = requests.slice(from, from + AT_ONCE);
      answers.push(...(await Promise.all(some.map((request) => answerTo(catalogue, request)))));
    }
    return answers;
  } finally {
    await catalogue.close();
  }
}

test('reads of the same form get the same answers in any order, from every engine', () =>
  fc.assert(
    fc.asyncProperty(fc.gen(), async (generate) => {
      const choose = chooserOf(generate);
      const { body, stored } = chooseRows(choose, generate);
      const requests = Array.from({ length: FORMS }, () => chooseForm(choose, generate, stored)).flat();
      const expected = await answersTo(ROLE_ENGINES[0]!, body, requests);
      for (const engine of ROLE_ENGINES) {
        const reversed = (await answersTo(engine, body, requests.toReversed())).toReversed();
        expect({ engine, answers: reversed }).toEqual({ engine, answers: expected });
        if (engine !== ROLE_ENGINES[0]) expect(await answersTo(engine, body, requests)).toEqual(expected);
      }
    }),
    { numRuns: 2 * RUNS, endOnFailure: true },
  ));
