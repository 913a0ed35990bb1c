/** A merge patch changes the text of a declaration, and leaves the rest as it is. */
import { expect, test } from 'bun:test';
import { mergeIntoText } from '../../src/declare/writer/merge.ts';

const TEXT = `# The shop
collections:
  products:   # all of them
    title:  "Products"

    fields: { id: int4, tags:   'text[]' }
  brands:
    fields:
      id: int8
      # 2^53 + 1
      most: { type: int8, maximum: 9007199254740993 }
roles: {admin: all}   # the owner
`;

test('only the lines between the first change and the last one get new spaces', () => {
  const patch = { collections: { brands: { fields: { name: { type: 'text', oneOf: ['a', '1'] } } } } };
  const added = "993 }\n      name: { type: text, oneOf: [ a, '1' ] }\n";
  expect(mergeIntoText(TEXT, patch, false)).toBe(TEXT.replace('993 }\n', added));
  const first = mergeIntoText(TEXT, { collections: { products: { title: 'All' } } }, false);
  expect(first).toBe(TEXT.replace('title:  "Products"', 'title: All'));
});

test('a text that begins with an empty line is normalized', () => {
  const text = '\ncollections:\n  a:\n    fields: { id:   int4 }\n';
  expect(mergeIntoText(text, { language: 'de' }, false)).toBe(
    'collections:\n  a:\n    fields: { id: int4 }\nlanguage: de\n',
  );
});

test('null removes a member, and a map replaces a type', () => {
  const text = 'collections:\n  a: { title: A, fields: { id: int4 } } # one\n  b: { fields: { id: int4 } }\n';
  const patch = { collections: { a: { title: null, fields: { id: { type: 'int4', title: 'No' } } }, b: null } };
  expect(mergeIntoText(text, patch, false)).toBe(
    'collections:\n  a: { fields: { id: { type: int4, title: No } } } # one\n',
  );
});

test('a JSON file stays JSON, with all digits', () => {
  const json = '{\n  "collections": {"a": {"fields": {"id": {"type": "int8", "maximum": 9007199254740993}}}}\n}\n';
  const merged = mergeIntoText(json, { collections: { a: { fields: { name: 'text' } } } }, true);
  expect(JSON.parse(merged).collections.a.fields.name).toBe('text');
  expect(merged).toContain('9007199254740993');
});

test('a removed field that a new one names in was is renamed in its place, and lists of fields follow', () => {
  const text = `collections:
  lines:
    key: [order, no]
    unique: [[order, sku]]
    search: { fields: { product.name: 2 } }
    references: [{ fields: [order, no], collection: parts, to: [order, no] }]
    fields:
      order: int4 # of the customer
      no: int4
      double: { type: int4, computed: "no * 2 + length('no')" }
      sku: text
      product: { type: int4, references: products }
  products: { fields: { id: int4, name: text }, search: { fields: { name: 1 } } }
roles:
  clerk: { lines: { read: { fields: [order, no], where: 'no=gt.1&sku=eq.no&or=(no.eq.1,no.eq.2)' } }, products: { read: { fields: [id, name] } } }
`;
  const rename = (collection: string, from: string, to: object) =>
    mergeIntoText(text, { collections: { [collection]: { fields: { [from]: null, ...to } } } }, false);
  const number = rename('lines', 'no', { number: { was: 'no', title: 'Number' } });
  expect(number.replaceAll(/\[ | \]/g, (sign) => sign.trim())).toBe(
    text
      .replace('key: [order, no]', 'key: [order, number]')
      .replace('fields: [order, no], collection', 'fields: [order, number], collection')
      .replace('no: int4', 'number: { type: int4, was: no, title: Number }')
      .replace('no * 2', 'number * 2')
      .replace('{ fields: [order, no], where', '{ fields: [order, number], where')
      .replace("'no=gt.1", "'number=gt.1"),
  );
  const title = rename('products', 'name', { title: { was: 'name' } });
  expect(title).toContain('product.title: 2');
  expect(title).toContain('fields: { title: 1 }');
  expect(title).toContain('title: { type: text, was: name }');
  expect(rename('products', 'id', { no: { was: 'id' } })).toMatch(/fields: \{ no: .*key: no \}/);
  // Without a field of the old name, or with one of the new name, it is an ordinary patch.
  expect(rename('lines', 'none', { more: { type: 'text', was: 'none' } })).toContain('more: { type: text, was: none }');
  expect(rename('lines', 'no', { sku: { was: 'no' } })).not.toContain('no: int4');
});
