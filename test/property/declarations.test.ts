/** Any declaration text is read or its mistakes are reported. A printed declaration reads back unchanged. */
import { expect, test } from 'bun:test';
import Ajv from 'ajv';
import fc from 'fast-check';
import { parse } from 'yaml';
import type { CollectionDraft } from '../../src/collection/draft.ts';
import { fieldTypeNames } from '../../src/collection/types/index.ts';
import { declarationSchema } from '../../src/declare/format.ts';
import { DeclarationError } from '../../src/declare/reader/mistakes.ts';
import { printCollection } from '../../src/declare/writer/write.ts';
import { RUNS } from '../support/generated/generators.ts';
import { declared, SHOP, SHOP_TEXT } from '../support/processes/declarations.ts';

const SMALL = `x-a: &a { type: text, default: x, oneOf: [x, y], maxLength: 3, pattern: '^[a-z]' }
collections:
  makers:
    title: Makers
    key: code
    fields: { code: int8, name: *a, parent: { type: int8, references: makers } }
  things:
    unique: [[name, size]]
    fields:
      id: { type: int4, description: 'its: number' }
      name: { <<: *a, required: true, role: title }
      size: { type: 'decimal(12,4)', minimum: -1.5, maximum: 7, default: 2, indexed: true }
      made_by: { type: int8, references: { collection: makers, onDelete: cascade } }
      more: { type: json, default: { a: [1, null, true] } }
`;

const TOKENS = [
  '{',
  '}',
  '[',
  ']',
  ':',
  ' ',
  '\n',
  '  ',
  '- ',
  '*a',
  '&b ',
  '<<',
  '"',
  "'",
  '#',
  '|',
  'null',
  'true',
  '7',
  '-0.5',
  '1e400',
  '.nan',
  'now',
  'uuid',
  'int4',
  'text',
  'name',
  'fields',
  '!x ',
  '---\n',
  '\t',
  'é',
  '\u0000',
  '%',
  '?',
];

interface Change {
  readonly at: number;
  readonly drop: number;
  readonly add: string;
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(10_000),
  drop: fc.oneof(fc.constant(0), fc.nat(12)),
  add: fc.oneof(fc.constantFrom(...TOKENS), fc.constant('')),
});
const changedText = fc
  .tuple(fc.constantFrom(SMALL, SHOP_TEXT), fc.array(change, { minLength: 1, maxLength: 3 }))
  .map(([text, changes]) =>
    changes.reduce((whole, { at, drop, add }) => {
      const place = at % (whole.length + 1);
      return whole.slice(0, place) + add + whole.slice(place + drop);
    }, text),
  );

const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(declarationSchema());

test('a mutated declaration is read, or its mistakes are reported with existing line numbers', async () => {
  await fc.assert(
    fc.asyncProperty(changedText, async (text) => {
      try {
        await declared(text, SHOP);
      } catch (error) {
        if (!(error instanceof DeclarationError)) throw error;
        const lines = text.split('\n').length;
        expect(error.mistakes.length).toBeGreaterThan(0);
        expect(error.mistakes.filter(({ line, column }) => line < 1 || line > lines || column < 1)).toEqual([]);
        return;
      }
      expect(validate(parse(text, { merge: true })), JSON.stringify(validate.errors)).toBe(true);
    }),
    { numRuns: 50 * RUNS },
  );
});

const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,20}$/).map((text) => `f_${text}`);
const words = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .filter((text) => text.trim() !== '' && text.isWellFormed());
const text = fc.oneof(
  words,
  fc.constantFrom(
    'a\nb',
    ' a: b\r\n',
    '\\n',
    '# x',
    '{ a }',
    'null',
    '1',
    'a\u00a0',
    'a\u2028b',
    "it's",
    '"',
    '*a',
    '!x',
    '---',
  ),
);
const flag = fc.constantFrom({}, { value: true });

const field = fc.record({
  name,
  type: fc.constantFrom(...fieldTypeNames().map((type) => type.replace('p,s', '12,4'))),
  title: fc.option(text, { nil: undefined }),
  description: fc.option(text, { nil: undefined }),
  required: flag,
  unique: flag,
  indexed: flag,
});

const collection: fc.Arbitrary<CollectionDraft> = fc
  .record({
    title: fc.option(text, { nil: undefined }),
    fields: fc.uniqueArray(field, { selector: (each) => each.name, maxLength: 8 }),
  })
  .map(({ title, fields }) => ({
    name: 'things',
    ...(title === undefined ? {} : { title }),
    key: ['id'],
    fields: [
      { name: 'id', type: 'int8' },
      ...fields.map(({ required, unique, indexed, title, description, ...rest }) => ({
        ...rest,
        ...(title === undefined ? {} : { title }),
        ...(description === undefined ? {} : { description }),
        ...('value' in required ? { required: true } : {}),
        ...('value' in unique ? { unique: true } : {}),
        ...('value' in indexed ? { indexed: true } : {}),
      })),
    ],
  }));

test('a printed collection reads back unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(collection, async (draft) => {
      const text = `collections:\n${printCollection(draft)}`;
      expect(await declared(text), text).toEqual({ collections: [draft] });
    }),
    { numRuns: 30 * RUNS },
  );
});
