/** Roles in a declaration: parsing, and the error for each mistake. */
import { describe, expect, test } from 'bun:test';
import { declareCatalogue } from '../../src/collection/declaration.ts';
import { declared, mistakesIn } from '../support/processes/declarations.ts';

const COLLECTIONS = `collections:
  products:
    fields:
      id: int4
      name: { type: text, required: true }
      sku: { type: text, unique: true }
      price: 'decimal(12,2)'
      available: boolean
      released: date
      tags: 'text[]'
      supplier_id: int4
      total: { type: int4, readOnly: true }
      category_id: { type: int4, references: categories }
      spare_id: { type: int4, references: categories }
  notes:
    fields: { id: int4, text: text }
  texts:
    fields: { id: int4, product_id: { type: int4, references: products }, body: text }
  categories:
    fields: { id: int4, name: text }
`;

/** Builds a declaration whose first role line is line 22. */
const withRoles = (...lines: readonly string[]) =>
  `${COLLECTIONS}roles:\n${lines.map((line) => `  ${line}\n`).join('')}`;

async function rolesOf(...lines: readonly string[]) {
  return (await declared(withRoles(...lines))).roles;
}

describe('reading', () => {
  test('a role is all, or a map from collections to permissions', async () => {
    const roles = await rolesOf(
      'admin: all',
      'anonymous: { products: { read: true } }',
      "editor: { include: [anonymous], products: { update: { where: 'id=gt.1', fields: [name] } }, notes: { read: true, delete: true } }",
    );
    expect(roles).toEqual([
      { name: 'admin', isAll: true, rules: [] },
      { name: 'anonymous', rules: [{ collection: 'products', right: 'read' }] },
      {
        name: 'editor',
        include: ['anonymous'],
        rules: [
          { collection: 'products', right: 'update', where: 'id=gt.1', fields: ['name'] },
          { collection: 'notes', right: 'read' },
          { collection: 'notes', right: 'delete' },
        ],
      },
    ]);
  });

  test('JSON is read like YAML', async () => {
    const { collections } = await declared(COLLECTIONS);
    const text = JSON.stringify({
      collections: { notes: { fields: { id: 'int4', text: 'text' } } },
      roles: { reader: { notes: { read: { where: 'id=lt.9', fields: ['id'] } } } },
    });
    const { roles } = await declared(text, 'collections.json');
    expect(collections).toHaveLength(4);
    expect(roles).toEqual([
      { name: 'reader', rules: [{ collection: 'notes', right: 'read', where: 'id=lt.9', fields: ['id'] }] },
    ]);
  });

  test('a declaration without roles has no roles', async () => {
    const draft = await declared(COLLECTIONS);
    expect(Object.keys(draft)).toEqual(['collections']);
    expect(declareCatalogue(draft).roles).toBeUndefined();
  });

  test('an included role adds its own and its included rules; a wider rule replaces a narrower one', async () => {
    const text = withRoles(
      "a: { notes: { read: { where: 'id=gt.1' } } }",
      "b: { include: [a], notes: { read: { where: 'id=lt.0' } } }",
      'c: { include: [b, a], notes: { read: true } }',
      'd: { include: [e] }',
      'e: all',
    );
    const catalogue = declareCatalogue(await declared(text));
    const notes = catalogue.collections.get('notes')!;
    const reads = (name: string) =>
      catalogue
        .roles!.get(name)!
        .rules.get(notes)!
        .read.map(({ where }) => where);
    expect(reads('b')).toEqual(['id=lt.0', 'id=gt.1']);
    expect(reads('c')).toEqual([undefined]);
    expect(catalogue.roles!.get('d')!.isAll).toBe(true);
  });
});

const products = (rule: string) => `r: { products: ${rule} }`;
const UNREAD = (text: string, column = 1) =>
  `28 r.products: where: "failed to parse filter (${text})" (line 1, column ${column})`;
const EXPECTED = '"not" or operator (eq, gt, ...)';
const where = (text: string) => products(`{ read: { where: '${text}' } }`);

/** The lines after `roles:`, and the expected errors with their columns. */
const MISTAKES: readonly (readonly [lines: readonly string[], told: readonly string[]])[] = [
  [['r: { prodcts: { read: true } }'], ['8 r.prodcts: unknown collection prodcts (perhaps you meant products)']],
  [
    ['r: { includ: [r] }'],
    [
      '8 r.includ: unknown collection includ (perhaps you meant include)',
      '16 r.includ: it must be a map with read, create, update and delete, not a list',
    ],
  ],
  [[products('{ raed: true }')], ['20 r.products: unknown key raed (perhaps you meant read)']],
  [[products('{ read: false }')], ['26 r.products: read is true where it is allowed, and left out where it is not']],
  [[products('{ read: yes }')], ['26 r.products: read must be true, or a map with where and fields, not a text']],
  [[products('{ read: true, delete: { fields: [id] } }')], ['42 r.products: unknown key fields; there are where']],
  [['r: everything'], ['6 r: it must be all, not everything']],
  [
    ['r: { include: [s] }', 's: { include: [t] }', 't: { include: [r] }'],
    [
      '18 r: include names s, which includes r',
      '18 s: include names t, which includes s',
      '18 t: include names r, which includes t',
    ],
  ],
  [['r: { include: [r] }'], ['18 r: include names r, which includes r']],
  [
    ['r: { include: [admn] }', 'admin: all'],
    ['18 r: include names admn, which is not a role (perhaps you meant admin)'],
  ],
  [['9r: all'], ['3 9r: names of roles are letters, digits, _ and -, begin with a letter, and have 63 at most']],
  [[where('nam=eq.x')], ['28 r.products: where: column products.nam does not exist; perhaps you meant name']],
  [
    [where('price=lik.x')],
    [
      '28 r.products: where: "failed to parse filter (lik.x)" (line 1, column 1); unexpected "l" expecting "not" or operator (eq, gt, ...)',
    ],
  ],
  [[where('price=like.x')], ['28 r.products: where: operator does not exist: numeric ~~ unknown']],
  [[where('id=eq.x')], ['28 r.products: where: invalid input syntax for type integer: "x"']],
  [[where('select=id')], ['28 r.products: where: select is not a condition; a rule has conditions alone']],
  [[where('id=eq.1&limit=1')], ['28 r.products: where: limit is not a condition; a rule has conditions alone']],
  [[where('id=eq.1&order=id')], ['28 r.products: where: order is not a condition; a rule has conditions alone']],
  [
    [where('notes.id=eq.1')],
    [
      "28 r.products: where: Could not find a relationship between 'products' and 'notes' in the schema cache; products is related to categories, texts",
    ],
  ],
  [
    [where('txts.id=eq.1&texts.idd=eq.1&categories!categoryid.id=eq.1&status=eq.1')],
    [
      "28 r.products: where: Could not find a relationship between 'products' and 'txts' in the schema cache; perhaps you meant texts",
      '28 r.products: where: column texts.idd does not exist; perhaps you meant id',
      "28 r.products: where: Could not find a relationship between 'products' and 'categories' in the schema cache; write categories!category_id or categories!spare_id",
      '28 r.products: where: column products.status does not exist; there are id, name, sku, price, available, released, tags, supplier_id, total, category_id, spare_id',
    ],
  ],
  [
    [where('or=(id.eq.1,categories.id.eq.2)')],
    [
      "28 r.products: where: Could not embed because more than one relationship was found for 'products' and 'categories'; write categories!category_id or categories!spare_id",
    ],
  ],
  [[where('texts.id=eq.x')], ['28 r.products: where: invalid input syntax for type integer: "x"']],
  [
    [where('texts.body=like.{claims.id}')],
    [
      '28 r.products: where: a claim is compared by eq, neq, gt, gte, lt, lte, isdistinct, within, above, cs, cd, ov or in, and is not a pattern or list',
    ],
  ],
  [[where('texts.order=id')], ['28 r.products: where: order is not a condition; a rule has conditions alone']],
  [[where('name=match.(')], ['28 r.products: where: invalid regular expression: parentheses () not balanced']],
  [
    [where('released=lte.now')],
    ['28 r.products: where: it cannot hold a word such as now, which means another moment each time; write {now}'],
  ],
  [
    [where('price=lt.{now}&name=eq.{today}')],
    [
      '28 r.products: where: {now} is compared with a date, timestamp or timestamptz, not with numeric',
      '28 r.products: where: {today} is compared with a date, timestamp or timestamptz, not with text',
    ],
  ],
  [
    [where('supplier_id=eq.{claim.id}')],
    ['28 r.products: where: {claim.id} is not a claim; a whole value is written {claims.name}'],
  ],
  [
    [where('name=eq.*{claims.id}*')],
    ['28 r.products: where: *{claims.id}* is not a claim; a whole value is written {claims.name}'],
  ],
  [
    [where('name=like.{claims.id}')],
    [
      '28 r.products: where: a claim is compared by eq, neq, gt, gte, lt, lte, isdistinct, within, above, cs, cd, ov or in, and is not a pattern or list',
    ],
  ],
  [[where('supplier_id=cs.{claims.id}')], ['28 r.products: where: operator does not exist: integer @> unknown']],
  [
    [products('{ read: { fields: [id, nmae] } }')],
    ['41 r.products: read: unknown field nmae (perhaps you meant name)'],
  ],
  [[products('{ read: { fields: [name] } }')], ['28 r.products: read: fields must hold id, which identifies rows']],
  [
    [products('{ create: { fields: [sku] } }')],
    ['30 r.products: create: fields must hold name, which every new row needs'],
  ],
  [
    [products('{ read: true, update: { fields: [total, name, name] } }')],
    ['51 r.products: update: total can only be read', '64 r.products: update: fields names name twice'],
  ],
  [
    [products('{ create: true, update: true, delete: true }')],
    [
      '34 r.products: update: r may not read products, so it can update no rows; add read',
      '48 r.products: delete: r may not read products, so it can delete no rows; add read',
    ],
  ],
  [
    ['r: { include: [s], products: { delete: true } }', 's: { notes: { read: true } }'],
    ['34 r.products: delete: r may not read products, so it can delete no rows; add read'],
  ],
  [[where('price > 3')], [`${UNREAD('price > 3', 7)}; unexpected ">" expecting end of input; write price=gt.3`]],
  [
    [where('price>=3 and name = "Chai"')],
    [`${UNREAD('price>', 6)}; unexpected ">" expecting end of input; write price=gte.3&name=eq.Chai`],
  ],
  [[where('price!=eq.3')], [`${UNREAD('price!', 6)}; unexpected "!" expecting end of input; write price=neq.3`]],
  [
    [where('price is not null&id=eq.1')],
    [`${UNREAD('')}; unexpected end of input expecting ${EXPECTED}; write price=not.is.null&id=eq.1`],
  ],
  [
    [where('cheap things')],
    [
      `${UNREAD('')}; unexpected end of input expecting ${EXPECTED}; write FIELD=OPERATOR.VALUE, and & between conditions`,
    ],
  ],
];

describe('mistakes', () => {
  for (const [lines, told] of MISTAKES) {
    test(lines.join(' '), async () => {
      const found = await mistakesIn(withRoles(...lines));
      expect(found.map((each) => each.replace(/^\d+:/, ''))).toEqual([...told]);
      expect(Number(found[0]!.split(':')[0])).toBeGreaterThan(15);
    });
  }

  test('all mistakes are reported at once, together with those of the collections', async () => {
    const text = `${COLLECTIONS.replace('sku: { type', 'sku: { tpe')}roles:\n  r: { nots: { read: true }, notes: { read: { where: 'x=eq.1' } } }\n`;
    expect(await mistakesIn(text)).toEqual([
      '6:7 products.sku: type is missing',
      '6:14 products.sku: unknown key tpe (perhaps you meant type)',
      '22:8 r.nots: unknown collection nots (perhaps you meant notes)',
      '22:47 r.notes: where: column notes.x does not exist; there are id, text',
    ]);
  });

  test('comments need a key, a name of their own, and roles that read the rows', async () => {
    const text = `collections:
  a: { fields: { id: int4 }, comments: b }
  b: { key: none, fields: { id: int4 }, comments: c }
  d: { fields: { id: int4 }, comments: catalogue_x }
  e: { fields: { id: int4 }, comments: notes }
roles:
  r: { notes: { read: true, create: { fields: [author] } } }
`;
    expect(await mistakesIn(text)).toEqual([
      '2:30 a: comments: b is another collection; choose another name',
      '3:41 b: comments: rows without a key cannot have comments',
      '4:40 d: names with catalogue_ are reserved for tables of the service; choose another name',
      '7:8 r.notes: r may not read e, so it has no comments on its rows; add read',
      '7:39 r.notes: create: fields must hold row_id, text, which every new row needs',
      '7:48 r.notes: create: author can only be read',
    ]);
  });

  test('all mistakes of one rule are reported at once', async () => {
    const text = withRoles(where('nam=eq.x&price=like.y&supplier_id=eq.{claim.id}&limit=1'));
    expect((await mistakesIn(text)).map((each) => each.replace(/.*where: /, ''))).toEqual([
      'limit is not a condition; a rule has conditions alone',
      'column products.nam does not exist; perhaps you meant name',
      'operator does not exist: numeric ~~ unknown',
      '{claim.id} is not a claim; a whole value is written {claims.name}',
    ]);
  });

  test('a role may include write permissions from one role and read permissions from another', async () => {
    for (const lines of [
      ['a: { products: { read: true } }', 'b: { products: { update: true } }', 'c: { include: [a, b] }'],
      ['a: { products: { delete: true } }', 'b: { include: [a], products: { read: true } }'],
      ['a: { products: { update: true } }', 'b: { include: [a, c] }', 'c: all'],
    ]) {
      expect(await mistakesIn(withRoles(...lines))).toEqual([]);
    }
  });

  test('valid rules are accepted', async () => {
    for (const text of [
      'or=(supplier_id.eq.{claims.supplier_id},and(available.is.true,price.gt.1))',
      'supplier_id=in.({claims.suppliers})&id=not.eq.{claims.app.own}',
      'tags=cs.{claims.tags}',
      'name=ilike.*x*&name=match.^x&name=fts.x',
    ]) {
      expect(await mistakesIn(withRoles(where(text)))).toEqual([]);
    }
  });
});
