/** Parsing a printed condition gives the same tree, for any name and any value. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseLogic } from '../../src/dialect/logic.ts';
import { encodeValue, printField, printValue } from '../../src/dialect/print.ts';
import { RUNS } from '../support/generated/generators.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((value) => value.isWellFormed());
const name = fc.oneof(
  fc.constantFrom('id', 'product_name', 'select', 'order', 'and', 'or', 'not', 'limit', 'after'),
  text.filter((value) => value.trim() !== '' && value.trim() === value),
);
const field = fc.record({
  name,
  json: fc.array(
    fc.record({ arrow: fc.constantFrom('->' as const, '->>' as const), key: text.filter((key) => key !== '') }),
    { maxLength: 2 },
  ),
});

test('parsing a printed condition gives the same tree', () => {
  fc.assert(
    fc.property(field, text, (path, value) => {
      const printed = encodeValue(`(${printField(path)}.gt.${printValue(value)})`);
      const test_ = { kind: 'value', operator: 'gt', value };
      expect(parseLogic('and', decodeURIComponent(printed)).terms).toEqual([
        { kind: 'comparison', field: path, negated: false, test: test_ } as never,
      ]);
    }),
    { numRuns: 250 * RUNS },
  );
});
