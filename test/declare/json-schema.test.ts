/**
 * The JSON Schema for editors agrees with the reader: it accepts valid declarations and rejects structural mistakes.
 */
import { describe, expect, test } from 'bun:test';
import Ajv from 'ajv';
import { parse } from 'yaml';
import { declarationSchema } from '../../src/declare/format.ts';
import { mistakesIn, SHOP_TEXT, withFields } from '../support/processes/declarations.ts';

const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(declarationSchema());
const accepts = (yaml: string) => validate(parse(yaml, { merge: true }));

const withRoles = (role: string) => `${withFields('id: int4')}roles:\n  r: ${role}\n`;

const RIGHT: readonly string[] = [
  withFields('id: int4', 'a: { type: text, required: true, default: x, unique: true, maxLength: 3, pattern: "^x" }'),
  withFields('id: int8', "b: { type: 'decimal(12,4)', minimum: 0, maximum: 10, oneOf: [1, 2], title: B, role: price }"),
  `$schema: x.json\nx-mine: anything\n${withFields('id: int4', 'self: { type: int4, references: things }')}`,
  withFields('id: int4', 'self: { type: int4, references: { collection: things, onDelete: set null } }'),
  withRoles("{ things: { read: { where: 'id=gt.1', fields: [id] }, create: true, delete: { where: 'id=eq.1' } } }"),
  `${withRoles('{ include: [s] }')}  s: all\n`,
  'collections:\n  a:\n    key: [x, y]\n    unique: [[x, z]]\n    fields: { x: int4, y: int4, z: json }\n',
];

/** Structural mistakes. Only the reader detects semantic mistakes, such as a reference to a missing collection. */
const WRONG: readonly string[] = [
  '{}',
  'collections: {}',
  'collections: []',
  'colections: {}',
  'collections:\n  a: {}\n',
  'collections:\n  a: { fields: {} }\n',
  'collections:\n  " A": { fields: { id: int4 } }\n',
  'collections:\n  a: { feilds: { id: int4 } }\n',
  'collections:\n  a: { fields: { id: int4 }, key: [] }\n',
  'collections:\n  a: { fields: { id: int4 }, unique: [id] }\n',
  withFields('id: integer'),
  withFields('id: int4', 'a: { required: true }'),
  withFields('id: int4', 'a: { type: text, required: yes }'),
  withFields('id: int4', 'a: { type: text, maxLength: 0 }'),
  withFields('id: int4', 'a: { type: text, role: titel }'),
  withFields('id: int4', 'a: { type: text, onUpdate: then }'),
  withFields('id: int4', 'a: { type: int4, references: { onDelete: cascade } }'),
  withFields('id: int4', 'a: { type: int4, references: { collection: a, onDelete: remove } }'),
  withFields('id: int4', 'a: { type: int4, minumum: 0 }'),
  withRoles('some'),
  withRoles('{ things: { read: false } }'),
  withRoles('{ things: { raed: true } }'),
  withRoles('{ things: { read: { fields: [] } } }'),
  withRoles('{ things: { delete: { fields: [id] } } }'),
  withRoles('{ include: s }'),
];

describe('valid declarations', () => {
  for (const yaml of RIGHT) {
    test(yaml, async () => {
      expect(await mistakesIn(yaml)).toEqual([]);
      expect(accepts(yaml), JSON.stringify(validate.errors)).toBe(true);
    });
  }

  test('the shop', () => {
    expect(accepts(SHOP_TEXT), JSON.stringify(validate.errors)).toBe(true);
  });
});

describe('invalid declarations', () => {
  for (const yaml of WRONG) {
    test(yaml, async () => {
      expect(await mistakesIn(yaml)).not.toEqual([]);
      expect(accepts(yaml)).toBe(false);
    });
  }
});

test('every key has a description', () => {
  const { properties } = declarationSchema() as { properties: Record<string, { description: string }> };
  expect(properties.collections!.description).toBe('The collections, each at the path of its name.');
});
