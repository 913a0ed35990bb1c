/** Reading a declaration from YAML or JSON gives the expected draft. */
import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_DECLARATION_BYTES } from '../../src/base/limits/declaration.ts';
import { findDeclaration } from '../../src/declare/declaration-file.ts';
import { readDeclaration } from '../../src/declare/read.ts';
import { declared, declaredField, mistakesIn, SHOP, withFields } from '../support/processes/declarations.ts';
import { cleanUp, temporaryFolder } from '../support/processes/process.ts';

afterAll(cleanUp);

test('a field is a type name or a map', async () => {
  const { collections } = await declared(withFields('id: int4', 'a: text', 'b: { type: text }'));
  expect(collections).toEqual([
    {
      name: 'things',
      key: ['id'],
      fields: [
        { name: 'id', type: 'int4' },
        { name: 'a', type: 'text' },
        { name: 'b', type: 'text' },
      ],
    },
  ]);
});

test('every key of a collection and a field is read', async () => {
  const { collections } = await declared(`# yaml-language-server: $schema=collections.schema.json
$schema: collections.schema.json
collections:
  makers:
    title: Makers
    description: Who makes things.
    was: producers
    key: code
    fields:
      code: { type: text, maxLength: 8, pattern: '^[A-Z]+$', was: id }
  things:
    key: [maker, number]
    unique: [[maker, name], [name, number]]
    fields:
      maker: { type: text, references: { collection: makers, onDelete: cascade } }
      number: { type: int4, minimum: 1, maximum: 1e3 }
      name: { type: text, required: true, unique: true, indexed: true, title: Name, description: What it is called., role: title }
      state: { type: text, default: new, oneOf: [new, old] }
      next: { type: text, references: makers }
`);
  expect(collections).toEqual([
    {
      name: 'makers',
      title: 'Makers',
      description: 'Who makes things.',
      was: 'producers',
      key: ['code'],
      fields: [{ name: 'code', type: 'text', maxLength: 8, pattern: '^[A-Z]+$', was: 'id' }],
    },
    {
      name: 'things',
      key: ['maker', 'number'],
      unique: [
        ['maker', 'name'],
        ['name', 'number'],
      ],
      fields: [
        { name: 'maker', type: 'text', references: { collection: 'makers', onDelete: 'cascade' } },
        { name: 'number', type: 'int4', minimum: 1, maximum: 1000 },
        {
          name: 'name',
          type: 'text',
          title: 'Name',
          description: 'What it is called.',
          role: 'title',
          required: true,
          unique: true,
          indexed: true,
        },
        { name: 'state', type: 'text', default: 'new', oneOf: ['new', 'old'] },
        { name: 'next', type: 'text', references: { collection: 'makers', onDelete: 'restrict' } },
      ],
    },
  ]);
});

test('JSON is read like YAML, including tabs', async () => {
  const yaml = withFields('id: int8', "a: { type: 'decimal(18,4)', default: 0.5, minimum: -1 }");
  const json = `{\n\t"$schema": "x.json",\n\t"collections": {\n\t\t"things": {\n\t\t\t"fields": {\n\t\t\t\t"id": "int8",
\t\t\t\t"a": { "type": "decimal(18,4)", "default": 0.5, "minimum": -1 }\n\t\t\t}\n\t\t}\n\t}\n}\n`;
  expect(await declared(json, 'collections.json')).toEqual(await declared(yaml));
});

test('anchors, aliases and merge keys share content between collections', async () => {
  const { collections } = await declared(`x-common: &common
  id: int4
  name: &name { type: text, required: true }
collections:
  a:
    fields:
      <<: *common
      other: *name
  b:
    fields:
      <<: *common
      name: int4
`);
  expect(collections.map(({ fields }) => fields.map(({ name, type }) => `${name} ${type}`))).toEqual([
    ['id int4', 'name text', 'other text'],
    ['id int4', 'name int4'],
  ]);
});

/** The line in the file, and the value in the draft. */
const DEFAULTS: readonly (readonly [line: string, value: unknown])[] = [
  ['{ type: int4, default: 7 }', 7],
  ['{ type: int8, default: 9007199254740993 }', '9007199254740993'],
  ["{ type: 'decimal(18,2)', default: 1234567890123456.78 }", '1234567890123456.78'],
  ['{ type: float8, default: .inf }', 'Infinity'],
  ['{ type: boolean, default: false }', false],
  ['{ type: boolean, default: yes }', 'yes'],
  ["{ type: text, default: '' }", ''],
  ['{ type: text, default: 007 }', '007'],
  ['{ type: text, default: 1.10 }', '1.10'],
  ['{ type: text, default: True }', 'True'],
  ["{ type: text, default: '007' }", '007'],
  ['{ type: text, default: now, oneOf: [now, later] }', 'now'],
  ['{ type: json, default: { a: [1, 2.5, null, true, x] } }', { a: [1, 2.5, null, true, 'x'] }],
  ['{ type: json, default: [] }', []],
  ['{ type: json, default: "__proto__" }', '__proto__'],
];
for (const [line, value] of DEFAULTS) {
  test(`a default keeps its digits: ${line}`, async () => {
    expect(await declaredField(`a: ${line}`)).toHaveProperty('default', value);
  });
}

test('a type has one canonical name', async () => {
  expect(await declaredField("a: 'numeric( 12, 4 )'")).toHaveProperty('type', 'decimal(12,4)');
});

test('rows are read from a file next to the declaration', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'rows'));
  writeFileSync(join(folder, 'rows/a.csv'), 'id\n1\n');
  const text = (rows: string) => `collections:\n  a:\n    rows: ${rows}\n    fields: { id: int4 }\n`;
  const file = join(folder, 'collections.yaml');
  const { collections } = await declared(text('rows/a.csv'), file);
  expect(collections[0]!.rows).toBe(join(folder, 'rows/a.csv'));
  expect(await mistakesIn(text('a.csv'), file)).toEqual([`3:5 a: rows: ${folder}/a.csv does not exist`]);
  expect(await mistakesIn(text('rows'), file)).toEqual([
    `3:5 a: rows: ${folder}/rows is not a .json, .ndjson or .csv file`,
  ]);
  mkdirSync(join(folder, 'b.json'));
  expect(await mistakesIn(text('b.json'), file)).toEqual([`3:5 a: rows: ${folder}/b.json is not a file`]);
});

test('the error names a file that does not exist, is over the size limit or is not UTF-8', async () => {
  const folder = temporaryFolder();
  expect(() => readDeclaration(join(folder, 'none.yaml'))).toThrow(
    `the declaration ${folder}/none.yaml cannot be read`,
  );
  writeFileSync(join(folder, 'large.yaml'), ' '.repeat(MAX_DECLARATION_BYTES + 1));
  expect(() => readDeclaration(join(folder, 'large.yaml'))).toThrow('it is larger than 1048576 bytes');
  writeFileSync(join(folder, 'latin.yaml'), Buffer.from('collections: { a: \xe4 }', 'latin1'));
  expect(() => readDeclaration(join(folder, 'latin.yaml'))).toThrow('cannot be read');
});

test('a declaration beyond the nesting limit is rejected', async () => {
  const deep = (depth: number) =>
    withFields('id: int4', `a: { type: json, default: ${'['.repeat(depth)}${']'.repeat(depth)} }`);
  expect(await mistakesIn(deep(50))).toEqual([]);
  expect((await mistakesIn(deep(200)))[0]).toContain('a declaration may nest 100 deep');
  expect(await mistakesIn(deep(20_000))).toEqual([expect.stringContaining('a declaration may nest 100 deep')]);
});

test('a named file wins; without one, and without a default file, no declaration is read', () => {
  expect(findDeclaration('mine.yaml')).toBe('mine.yaml');
  expect(findDeclaration('')).toBeUndefined();
});

test('the shop is read completely', async () => {
  const { collections } = readDeclaration(SHOP);
  expect(collections.map(({ name, key, fields }) => [name, key.join(), fields.length])).toEqual([
    ['categories', 'id', 4],
    ['suppliers', 'id', 6],
    ['products', 'id', 21],
    ['labels', 'id', 2],
    ['product_labels', 'product_id,label_id', 3],
    ['prices', 'product_id,currency', 4],
    ['stock_moves', 'id', 5],
  ]);
  const field = (name: string) => collections[2]!.fields.find((each) => each.name === name);
  expect(field('created_at')).toEqual({ name: 'created_at', type: 'timestamptz', required: true, default: 'now' });
  expect(field('uid')).toEqual({ name: 'uid', type: 'uuid', required: true, default: 'uuid', unique: true });
  expect(field('tags')).toEqual({ name: 'tags', type: 'text[]' });
});
