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
