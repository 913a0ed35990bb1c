/** Stored queries in a declaration: parsing, and the error for each mistake. */
import { expect, test } from 'bun:test';
import { declareCatalogue } from '../../src/collection/declaration.ts';
import { openEngine } from '../../src/engine/open.ts';
import { SERVE_SETTINGS } from '../../src/settings/by-command.ts';
import { declared, mistakesIn } from '../support/processes/declarations.ts';
import { readSettings } from '../support/settings.ts';

/** Builds a declaration whose query is in line 5. */
const withQuery = (query: string) => `collections:
  makers: { fields: { id: int4, name: text } }
  products: { fields: { id: int4, price: int4, maker_id: { type: int4, references: makers } } }
queries:
  cheap: { ${query} }
`;

test('a query has parameters with types and defaults', async () => {
  const text = withQuery(
    "parameters: { most: { type: int4, default: 10 }, maker: text }, read: 'products?price=lt.{most}&select=*,makers(name)&makers.name=eq.{maker}'",
  );
  expect((await declared(text)).queries).toEqual([
    {
      name: 'cheap',
      parameters: [
        { name: 'most', type: 'int4', default: 10 },
        { name: 'maker', type: 'text' },
      ],
      read: 'products?price=lt.{most}&select=*,makers(name)&makers.name=eq.{maker}',
    },
  ]);
});

const MISTAKES: readonly (readonly [what: string, query: string, mistake: string])[] = [
  ['no request', 'parameters: { most: int4 }', '5:3 cheap: read is missing'],
  [
    'an unknown collection',
    'read: product',
    '5:12 cheap: read: unknown collection product (perhaps you meant products)',
  ],
  [
    'an unknown field',
    'read: products?prize=lt.1',
    "5:12 cheap: read: column products.prize does not exist; Perhaps you meant the field 'price'.",
  ],
  [
    'a parameter that is not declared',
    "read: 'products?price=lt.{most}'",
    '5:12 cheap: read: {most} is not a parameter; a whole value is written {parameter}',
  ],
  [
    'a parameter inside a value',
    "parameters: { most: text }, read: 'makers?name=like.*{most}*'",
    '5:40 cheap: read: *{most}* is not a parameter; a whole value is written {parameter}',
  ],
  [
    'a parameter without a use',
    'parameters: { most: int4 }, read: products',
    '5:40 cheap: read: read does not use the parameter most',
  ],
  [
    'a default of another type',
    "parameters: { most: { type: int4, default: many } }, read: 'products?price=lt.{most}'",
    '5:55 cheap.most: default is not a valid int4: invalid input syntax for type integer: "many"',
  ],
  ['syntax', 'read: products?price=less.1', '5:12 cheap: read: "failed to parse filter (less.1)" (line 1, column 1)'],
];

for (const [what, query, mistake] of MISTAKES) {
  test(`${what} is a mistake`, async () => {
    const [first] = await mistakesIn(withQuery(query));
    expect(first).toStartWith(mistake);
  });
}

test('a role calls queries that exist', async () => {
  const roles = 'roles:\n  clerk: { call: [cheep], products: { read: true } }\n';
  expect(await mistakesIn(`${withQuery('read: products')}${roles}`)).toEqual([
    '7:19 clerk: call names cheep, which is not a query, action or function (perhaps you meant cheap)',
  ]);
});

test('SQLite does not serve functions', async () => {
  const text = 'collections: { things: { fields: { id: int4 } } }\nfunctions: { now: { returns: { type: text } } }\n';
  const catalogue = declareCatalogue(await declared(text));
  const settings = readSettings(SERVE_SETTINGS, [], {});
  const open = () => openEngine(':memory:', { ...settings, catalogue, firstRows: () => [], serves: true });
  expect(open).toThrow('functions need PostgreSQL, and now is one; on SQLite declare queries');
});
