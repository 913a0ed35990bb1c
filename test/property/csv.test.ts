/** The fast CSV writer produces the same text as cell-by-cell writing, and the text reads back unchanged. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { csvLines } from '../../src/encode/csv.ts';
import { CsvReader } from '../../src/encode/csv-reader.ts';
import { RUNS } from '../support/generated/generators.ts';

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
    '=1+1',
    '-1',
    '＠x',
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

const cell = fc.oneof(text, number, fc.constant(null));
const table = fc.array(fc.tuple(cell, cell, cell), { maxLength: 30 });
const NAMES = ['one', 'two', 'three'];

function rowsOf(cells: readonly (readonly (string | number | null)[])[]) {
  return cells.map(([one, two, three]) => ({ one: one!, two: two!, three: three! }));
}

function cellText(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  return value === '' || value === 'NULL' || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

test('for any rows', () => {
  fc.assert(
    fc.property(table, (cells) => {
      const expected = cells.map((row) => `${row.map(cellText).join(',')}\n`).join('');
      expect(csvLines(rowsOf(cells), NAMES)).toBe(expected);
    }),
    { numRuns: 100 * RUNS },
  );
});

test('null, an empty text and the word NULL are read back unchanged', () => {
  fc.assert(
    fc.property(table, (cells) => {
      const reader = new CsvReader(',');
      const read = [...reader.push(csvLines(rowsOf(cells), NAMES)), ...reader.end()];
      const written = cells.map((row) => row.map((value) => (value === null ? undefined : String(value))));
      expect(read.map((row) => ('cells' in row ? row.cells : row.problem))).toEqual(written);
    }),
    { numRuns: 100 * RUNS },
  );
});

test('for spreadsheets, only numbers begin with a formula character, and nothing else changes', () => {
  const isFormula = (text: string) =>
    /^[=+\-@\t\r\n＝＋－＠]/.test(text) && !/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text);
  fc.assert(
    fc.property(table, (cells) => {
      const harmless = cells.map((row) =>
        row.map((value) => (typeof value === 'string' && isFormula(value) ? `'${value}` : value)),
      );
      expect(csvLines(rowsOf(cells), NAMES, { noFormulas: true })).toBe(csvLines(rowsOf(harmless), NAMES));
    }),
    { numRuns: 100 * RUNS },
  );
});
