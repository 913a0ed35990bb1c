/** A file reads the same however it is split into chunks. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { CsvRecords, printCsvRow } from '../../src/declare/rows/csv.ts';
import { JsonReader, NdjsonReader } from '../../src/declare/rows/json.ts';
import type { FileRecord, RecordReader } from '../../src/declare/rows/record.ts';

const cell = fc.oneof(
  fc.constant(undefined),
  fc.constant(null),
  fc.string({ unit: fc.constantFrom('a', ',', ';', '\t', '"', '\n', '\r', ' ', 'ö', 'NULL') }),
);
const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 8 });

function readIn(reader: RecordReader, text: string, places: readonly number[]): FileRecord[] {
  const sorted = [...places.filter((place) => place < text.length), text.length].sort((one, other) => one - other);
  const records: FileRecord[] = [];
  let from = 0;
  for (const to of sorted) {
    records.push(...reader.push(text.slice(from, to)));
    from = to;
  }
  return [...records, ...reader.end()];
}

test('CSV: the reader returns the written cells, each row with its first line number', () => {
  const rows = fc.array(fc.tuple(cell, cell, cell), { maxLength: 6 });
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
  const delimiter = fc.constantFrom(',', ';', '\t');
  fc.assert(
    fc.property(rows, lineEnd, delimiter, fc.boolean(), cuts, (rows, lineEnd, delimiter, isNamed, places) => {
      const lines = rows.map((cells) => printCsvRow(cells, delimiter));
      const first = isNamed ? [`sep=${delimiter}`] : [];
      const text = [...first, printCsvRow(['a', 'b', 'c'], delimiter), ...lines].join(lineEnd);
      let line = first.length + 2;
      const expected = rows.map((cells, index) => {
        const record = { kind: 'record' as const, line, columns: ['a', 'b', 'c'], cells };
        line += lines[index]!.split(/\r\n?|\n/).length;
        return record;
      });
      const filled = expected.filter(({ cells }) => cells.some((cell) => cell !== undefined));
      const reader = new CsvRecords();
      expect(readIn(reader, text, places)).toEqual(filled);
      expect(reader.blankLines).toBe(expected.length - filled.length);
    }),
  );
});

test('CSV: a quoted empty text alone in its row is a row, and an empty line is not', () => {
  const records = readIn(new CsvRecords(), 'a\n""\n\n"b"\r\n\r\n""', []);
  expect(records).toMatchObject([
    { line: 2, cells: [''] },
    { line: 4, cells: ['b'] },
    { line: 6, cells: [''] },
  ]);
});

test('JSON and NDJSON: the reader returns the written objects', () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3, noNullPrototype: true });
  fc.assert(
    fc.property(fc.array(object, { maxLength: 6 }), fc.boolean(), cuts, (objects, pretty, places) => {
      const kept = (records: FileRecord[]) =>
        records.map((record) => (record.kind === 'record' ? { columns: record.columns, cells: record.cells } : record));
      // Values go through JSON first, because JSON changes -0 and similar values.
      const expected = objects.map((each) => {
        const plain = JSON.parse(JSON.stringify(each)) as object;
        return { columns: Object.keys(plain), cells: Object.values(plain) };
      });
      const json = JSON.stringify(objects, null, pretty ? 2 : 0);
      const lines = objects.map((each) => JSON.stringify(each)).join('\n');
      expect(texts(kept(readIn(new JsonReader(), json, places)))).toEqual(texts(expected));
      expect(readIn(new JsonReader(), json, places)).toEqual(readIn(new JsonReader(), json, []));
      expect(texts(kept(readIn(new NdjsonReader(), lines, places)))).toEqual(texts(expected));
    }),
  );
});

/** Compares numbers as text, because the reader may keep the original text of a number. */
function texts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(texts);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, texts(each)]));
  }
  return String(value);
}
