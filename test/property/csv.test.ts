/** Rows written quickly as CSV are the same text as written cell by cell. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { csvLines } from '../../src/encode/csv.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }).filter((value) => value.isWellFormed()),
  fc.constantFrom(
    '',
    'NULL',
    '"',
    ',',
    '\n',
    '\r\n',
    'a,b',
    'é',
    '🧀',
    '\uFEFFx',
    'x'.repeat(70_000),
    'é'.repeat(70_000),
  ),
);
const number = fc.oneof(
  fc.integer(),
  fc.integer({ min: -20, max: 1200 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 2147483647, -2147483648, 2147483648, 18.5, 0.0001, 99999999.9999),
);

function cellText(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  return value === '' || value === 'NULL' || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

test('for any rows', () => {
  const cell = fc.oneof(text, number, fc.constant(null));
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell, cell), { maxLength: 30 }), (cells) => {
      const rows = cells.map(([one, two, three]) => ({ one, two, three }));
      const expected = cells.map((row) => `${row.map(cellText).join(',')}\n`).join('');
      expect(csvLines(rows, ['one', 'two', 'three'])).toBe(expected);
    }),
    { numRuns: 500 },
  );
});
