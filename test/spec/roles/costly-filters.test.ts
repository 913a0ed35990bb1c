/**
 * Filters that take long on a long text, or that may fail. The service ends a request with 504 if a text is too long
 * for its regular expression, so that no answer may depend on a text that the role's rule hides.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { RoleDraft } from '../../../src/collection/draft.ts';
import type { Row } from '../../../src/collection/value.ts';
import { adoptedSchema } from '../../support/engines/adopted.ts';
import { declaredBy, openRoled, ROLE_ENGINES, type Roled } from '../../support/engines/roles.ts';
import { sendJson } from '../../support/stories.ts';

const SHOP = declaredBy(`
collections:
  makers:
    fields: { id: int4, name: text, hidden: { type: boolean, indexed: true } }
  tags:
    fields: { id: int4, name: text }
  products:
    history: true
    fields:
      id: int4
      status: { type: text, indexed: true }
      maker_id: { type: int4, references: makers }
      description: text
      details: json
      notes: text
  product_tags:
    key: [product_id, tag_id]
    fields:
      product_id: { type: int4, references: products }
      tag_id: { type: int4, references: tags }
      hidden: boolean
roles:
  by_status:
    products: { read: { where: 'status=eq.live' }, update: { where: 'status=eq.live' }, delete: true }
    makers: { read: true }
    changes: { read: true }
  by_maker:
    products: { read: { where: 'makers.hidden=is.false' }, update: true, delete: true }
    makers: { read: { where: 'hidden=is.false' } }
    changes: { read: true }
  beside_makers:
    products: { read: { where: 'makers.hidden=is.false' } }
    makers: { read: true }
  by_field_base:
    products: { read: { fields: [id, status, maker_id] } }
  by_field:
    include: [by_field_base]
    products: { read: { where: 'status=eq.live' } }
  by_link:
    products: { read: true }
    tags: { read: true }
    product_tags: { read: { where: 'hidden=is.false' } }
  admin: all
`);

const LONG = 'b'.repeat(200_000);
const COSTLY = '(b{200}){4}c';
const rows = (secret: string): Readonly<Record<string, readonly Row[]>> => ({
  makers: [
    { id: 1, name: 'one', hidden: false },
    { id: 2, name: secret, hidden: true },
  ],
  products: [
    { id: 1, status: 'live', maker_id: 1, description: 'short', details: { a: 'short' } as never, notes: 'short' },
    { id: 2, status: 'draft', maker_id: 2, description: secret, details: { a: secret } as never, notes: secret },
  ],
  tags: [
    { id: 1, name: 'short' },
    { id: 2, name: LONG },
  ],
  product_tags: [
    { product_id: 1, tag_id: 1, hidden: false },
    ...(secret === LONG ? [{ product_id: 1, tag_id: 2, hidden: true }] : []),
  ],
});

const LONG_LIKE = `description=like.*${'b_'.repeat(45_000)}c*`;
const LONG_LITERAL = `description=like.*${'b'.repeat(100_000)}c*`;
const FILTERS = [
  `description=match.${COSTLY}`,
  `description=imatch.${COSTLY}`,
  `description=not.match.${COSTLY}`,
  `details->>a=match.${COSTLY}`,
  `or=(description.match."${COSTLY}",notes.match."${COSTLY}")`,
  `or=(id.eq.0,and(id.gt.0,description.match."${COSTLY}"))`,
  `not.and=(id.gt.0,description.match."${COSTLY}")`,
];
const BESIDES = [
  '',
  '&status=eq.live',
  '&status=in.(live)',
  '&status=in.(live,draft)',
  '&maker_id=eq.1',
  '&maker_id=eq.2',
  '&id=eq.2',
  '&id=in.(1,2)',
  '&id=gt.0&order=id.desc&limit=5',
  '&status=eq.draft',
];

const LISTS = FILTERS.flatMap((filter) => BESIDES.map((beside) => `/products?select=id&${filter}${beside}`));
const OTHERS = [
  `/products?select=id&${LONG_LIKE}`,
  `/products?select=id&${LONG_LITERAL}`,
  `/products?select=count()&description=match.${COSTLY}`,
  `/products?select=status,count()&status=eq.live&description=match.${COSTLY}&order=status`,
  `/products/2?description=match.${COSTLY}`,
];
const OF_MAKERS = [
  `/makers?select=id,products(id)&products.description=match.${COSTLY}`,
  `/makers?select=id,products!inner(id)&products.description=match.${COSTLY}`,
  `/makers?select=id,products!inner(id)&products.description=match.${COSTLY}&products.status=eq.live`,
  `/makers?select=id,name&name=match.${COSTLY}`,
];
const FACETS = [
  `/products?select=id&facets=status&description=match.${COSTLY}`,
  `/products?select=id&facets=status,description&status=eq.live&description=match.${COSTLY}`,
];
const LINKED = [
  `/products?select=id,tags(id)&tags.name=match.${COSTLY}`,
  `/products?select=id,tags!inner(id)&tags.name=match.${COSTLY}`,
];

const FIGURES = ['makers.count()=gt.0', 'makers.name.max()=gt.a', 'makers.name.max()=in.(a,b)'].map(
  (figure) => `/products?select=id,makers(name)&makers.name=match.${COSTLY}&${figure}`,
);

interface Asked {
  readonly path: string;
  readonly init?: RequestInit;
}

const ask = (paths: readonly string[], init?: RequestInit) =>
  paths.map((path): Asked => ({ path, ...(init && { init }) }));

describe.each([...ROLE_ENGINES])('a costly filter on %s', (engine) => {
  let long: Roled;
  let short: Roled;
  beforeAll(async () => {
    [long, short] = [await openRoled(engine, SHOP, rows(LONG)), await openRoled(engine, SHOP, rows('short'))];
  });
  afterAll(() => Promise.all([long.close(), short.close()]));

  /** Asks both catalogues, which differ only in what the role does not see. */
  async function expectSame(role: string, requests: readonly Asked[]) {
    const answersOf = async (roled: Roled) => {
      const answers: object[] = [];
      for (const { path, init } of requests) {
        const response = await roled.as(role).fetch(path, init);
        answers.push({ role, path, ...init, status: response.status, text: await response.text() });
      }
      return answers;
    };
    const answers = await answersOf(short);
    expect(answers.filter((each) => ![200, 204, 404].includes((each as Response).status))).toEqual([]);
    const shown = await answersOf(long);
    expect(shown.filter((each, index) => !Bun.deepEquals(each, answers[index]))).toEqual([]);
  }

  test.each(['by_status', 'by_maker', 'by_field'])('tests only rows that the role %s sees', (role) =>
    expectSame(role, [
      ...ask([...LISTS, ...OTHERS]),
      ...ask(LISTS.slice(0, 3), { headers: { prefer: 'count=exact' } }),
      ...ask(FACETS, { headers: { accept: 'application/vnd.catalogue.facets+json' } }),
    ]),
  );

  test.each(['by_status', 'by_maker'])('tests only embedded rows that the role %s sees', (role) =>
    expectSame(role, ask(role === 'by_maker' ? OF_MAKERS : OF_MAKERS.slice(0, 3))),
  );

  test.each(['by_status', 'by_maker'])(
    'as of a time, and in the log, tests only rows that the role %s sees',
    async (role) => {
      for (const roled of [long, short]) {
        await roled.as('admin').fetch('/products?id=in.(1,2)', sendJson('PATCH', { notes: 'changed' }));
      }
      const past = { headers: { prefer: `as-of=${new Date().toISOString()}` } };
      const inLog = ['before', 'after'].map((part) => `/changes?select=key&${part}->>description=match.${COSTLY}`);
      await expectSame(role, [...ask([...LISTS, ...OTHERS], past), ...ask(inLog)]);
    },
  );

  test('has figures of rows that only hidden rows refer to', () => expectSame('beside_makers', ask(FIGURES)));

  test('does not follow a link that the role does not see', () => expectSame('by_link', ask(LINKED)));

  test.each(['by_status', 'by_maker'])('tests only rows to change that the role %s sees', (role) => {
    const paths = ['', '&status=eq.live', '&maker_id=eq.1', '&id=eq.2'].map(
      (beside) => `/products?description=match.${COSTLY}${beside}`,
    );
    return expectSame(role, [...ask(paths, sendJson('PATCH', { notes: 'x' })), ...ask(paths, { method: 'DELETE' })]);
  });
});

describe('a function of a row on PostgreSQL', () => {
  const where = 'makers.hidden=is.false';
  const roles: readonly RoleDraft[] = [
    {
      name: 'by_maker',
      rules: [
        { collection: 'items', right: 'read', where },
        { collection: 'items', right: 'update' },
        { collection: 'makers', right: 'read' },
      ],
    },
  ];
  const shop = adoptedSchema(
    `
    create table makers (id int primary key, hidden boolean);
    create table items (id int primary key, maker_id int references makers, a int, b int);
    create function ratio(items) returns int language sql immutable as 'select $1.a / $1.b';
    create function checked(items) returns int language plpgsql immutable as $$begin
      if $1.b = 0 then raise exception 'row % has no b', $1.id; end if;
      return 2;
    end$$;
    create function siblings(items) returns setof items language sql stable
      as 'select * from items where maker_id = $1.maker_id and $1.a / $1.b > 0';
    insert into makers values (1, false), (2, true);
    insert into items values (1, 1, 4, 2), (2, 2, 4, 0);`,
    roles,
  );

  const tests = ['ratio=eq.2', 'checked=eq.2', 'checked=in.(1,2)', 'checked=not.is.null', 'or=(checked.eq.2,id.eq.0)'];
  test.each([
    ...tests.map((each) => `/items?select=id&${each}`),
    '/items?select=id,siblings!inner()',
    '/items?select=id,siblings()&siblings=not.is.null',
    '/items?select=id,siblings()&siblings.count()=gt.0',
    ...tests.map((each) => `/makers?select=id,items!inner()&items.${each}`),
  ])('reads no row that the role does not see: %s', async (path) => {
    const response = await shop.fetch(path, { headers: { 'x-role': 'by_maker' } });
    expect([response.status, await response.json()]).toEqual([200, [{ id: 1 }]]);
  });

  test.each(tests)('a write by %s reads no row that the role does not see', async (filter) => {
    const change = sendJson('PATCH', { a: 4 }, { 'x-role': 'by_maker', prefer: 'return=representation' });
    const response = await shop.fetch(`/items?select=id&${filter}`, change);
    expect([response.status, await response.json()]).toEqual([200, [{ id: 1 }]]);
  });
});
