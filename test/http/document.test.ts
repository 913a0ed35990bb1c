/**
 * Parsing a body in chunks: the result equals parsing at once, takes a bounded number of steps, and respects the
 * limits.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { BYTES_PER_SLICE, runToEnd } from '../../src/base/cooperative.ts';
import { ApiError } from '../../src/base/errors.ts';
import {
  MAX_BODY_ROWS,
  MAX_BODY_VALUES,
  MAX_JSON_DEPTH,
  MAX_NUMBER_LENGTH,
  MAX_ROW_VALUES,
} from '../../src/base/limits/http.ts';
import type { Document } from '../../src/encode/document.ts';
import { readDocument } from '../../src/http/body/parse-body.ts';
import { parseCsv } from '../support/csv.ts';
import { RUNS } from '../support/generated/generators.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const read = (text: string, type = 'application/json') => runToEnd(readDocument(bytesOf(text), type));

/** Returns the number of chunks that a body takes. */
function piecesOf(text: string, type: string): number {
  const work = readDocument(bytesOf(text), type);
  let pieces = 1;
  try {
    while (work.next().done !== true) pieces++;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
  return pieces;
}

function outcome<T>(work: () => T): T | string {
  try {
    return work();
  } catch (error) {
    return error instanceof ApiError ? error.code : 'no JSON';
  }
}

/** Values with every character that could confuse a scanner. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .array(fc.constantFrom('"', '\\', '\\"', '[', ']', '{', '}', ',', ':', 'é', '😀', ' '), { maxLength: 12 })
    .map((parts) => parts.join('')),
);
const value = fc.oneof(text, fc.integer(), fc.constantFrom(0.5, 1.25, -3.75), fc.boolean(), fc.constant(null));
const row = fc.dictionary(
  text,
  fc.oneof(value, fc.array(value, { maxLength: 3 }), fc.dictionary(text, value, { maxKeys: 3 })),
  {
    maxKeys: 5,
  },
);
/** A few rows, which `many` repeats until the list spans several chunks. */
const few = fc.array(row, { minLength: 1, maxLength: 20 });

function many(rows: readonly unknown[]): unknown[] {
  const once = JSON.stringify(rows).length;
  return Array.from({ length: Math.ceil((3 * BYTES_PER_SLICE) / once) }, () => rows).flat();
}

describe('JSON', () => {
  test.each([
    ['[', '}'],
    [':[', ']'],
    ['[', ']:'],
    ['\u0001[', ']'],
    ['[', ']\u000b'],
    ['{}[', ']'],
    ['[', ']{}'],
  ])('%j and %j around a list of any length are rejected', (before, after) => {
    for (const rows of [[{ a: 1 }], many([{ a: 1 }])]) {
      expect(outcome(() => read(`${before}${JSON.stringify(rows).slice(1, -1)}${after}`))).toBe('PGRST102');
    }
  });

  test('white space around a long list is ignored', () => {
    const rows = many([{ a: 1 }]);
    expect(read(` \t\r\n${JSON.stringify(rows)} \t\r\n`)).toEqual({ kind: 'json', value: rows });
  });

  test('a long list parsed in chunks equals the list', () => {
    fc.assert(
      fc.property(few, fc.constantFrom(0, 2), fc.boolean(), (once, indent, hasMark) => {
        const rows = many(once);
        const written = `${hasMark ? '\ufeff' : ''}${JSON.stringify(rows, null, indent)}\n`;
        expect(piecesOf(written, 'application/json')).toBeGreaterThan(4);
        expect(Bun.deepEquals(read(written), { kind: 'json', value: rows } satisfies Document)).toBe(true);
      }),
      { numRuns: 10 * RUNS },
    );
  });

  test('a long text is a valid document in chunks exactly if it is valid as a whole', () => {
    const slip = fc.constantFrom('', ',', ']', '[', '}', '{', '"', '\\', ' ', 'x', '1', ',,', '],[');
    fc.assert(
      fc.property(few, fc.nat(), fc.nat(3), slip, (once, place, removed, added) => {
        const written = JSON.stringify(many(once));
        const at = place % written.length;
        const spoilt = (written.slice(0, at) + added + written.slice(at + removed)).toWellFormed();
        const isJson = outcome(() => JSON.parse(spoilt)) !== 'no JSON';
        const found = outcome(() => read(spoilt));
        expect([spoilt.slice(at - 20, at + 20), typeof found]).toEqual([
          spoilt.slice(at - 20, at + 20),
          isJson ? 'object' : 'string',
        ]);
        if (isJson) expect(Bun.deepEquals(found, { kind: 'json', value: JSON.parse(spoilt) })).toBe(true);
        else expect(found).toBe('PGRST102');
      }),
      { numRuns: 30 * RUNS },
    );
  });

  const tooMany: readonly [string, string][] = [
    ['rows', `[${'{},'.repeat(MAX_BODY_ROWS)}{}]`],
    ['numbers instead of rows', `[${'1e2,'.repeat(MAX_BODY_ROWS)}1]`],
    ['lists instead of rows', `[${'[],'.repeat(MAX_BODY_ROWS)}[]]`],
    ['values', `[${`${JSON.stringify(Array(1_000).fill(1))},`.repeat(MAX_BODY_VALUES / 1_000)}[]]`],
    ['values of one row', `[{"a":[${'1,'.repeat(MAX_ROW_VALUES)}1]}]`],
    ['names of one object', `{${Array.from({ length: MAX_ROW_VALUES / 2 + 1 }, (_, index) => `"${index}":1`).join()}}`],
    ['levels', `${'['.repeat(MAX_JSON_DEPTH + 3)}${']'.repeat(MAX_JSON_DEPTH + 3)}`],
    ['levels without end', '[{"a":'.repeat(1_000_000)],
    ['digits', `[{"a":${'1'.repeat(MAX_NUMBER_LENGTH + 1)}}]`],
    ['digits behind the point', `[{"a":0.${'1'.repeat(10_000_000)}}]`],
  ];
  test.each(tooMany)('too many %s are rejected before they are parsed', (_, written) => {
    expect(outcome(() => read(written))).toBe('54000');
  });

  test('a body at the limits is accepted', () => {
    expect(read(`[${'{},'.repeat(MAX_BODY_ROWS - 1)}{}]`)).toMatchObject({ kind: 'json' });
    expect(read(`[{"a":${'['.repeat(MAX_JSON_DEPTH)}${']'.repeat(MAX_JSON_DEPTH)}}]`)).toMatchObject({ kind: 'json' });
    expect(read(`{"a":${'1'.repeat(MAX_NUMBER_LENGTH)}}`)).toMatchObject({ kind: 'json' });
  });
});

describe('CSV', () => {
  const cell = fc.oneof(
    fc.constantFrom('', 'NULL', 'a', 'é', '5" pipe', 'a"b"', 'a""b', '""', '1.5'),
    text.map((each) => `"${each.replaceAll('"', '""')}\n"`),
  );
  const table = fc.array(
    fc.array(cell, { minLength: 3, maxLength: 3 }).map((cells) => cells.join()),
    { minLength: 1, maxLength: 9 },
  );

  test('a long cell is the concatenation of its parts', () => {
    fc.assert(
      fc.property(text, (part) => {
        const long = (part === '' ? '"' : part).repeat(Math.ceil((2 * BYTES_PER_SLICE) / Math.max(part.length, 1)));
        const found = read(`a\n"${long.replaceAll('"', '""')}"`, 'text/csv') as Extract<Document, { kind: 'table' }>;
        expect(found.rows[0]![0] === long).toBe(true);
      }),
      { numRuns: 10 * RUNS },
    );
  });

  test('a long table parsed in chunks equals the table', () => {
    fc.assert(
      fc.property(table, fc.constantFrom('\n', '\r\n', '\r'), (lines, end) => {
        const once = lines.join(end) + end;
        const csv = `a,b,c${end}${once.repeat(Math.ceil((3 * BYTES_PER_SLICE) / once.length))}`;
        const found = outcome(() => read(csv, 'text/csv'));
        const whole = outcome(() => parseCsv(csv));
        if (typeof whole === 'string') expect(found).toBe(whole);
        else expect(Bun.deepEquals(found, { kind: 'table', header: ['a', 'b', 'c'], rows: whole.slice(1) })).toBe(true);
      }),
      { numRuns: 15 * RUNS },
    );
  });

  test('a body at the limits is accepted', () => {
    expect(read(`a\n${'1\n'.repeat(MAX_BODY_ROWS)}`, 'text/csv')).toMatchObject({ kind: 'table' });
  });

  test.each([
    ['rows', `a\n${'1\n'.repeat(MAX_BODY_ROWS + 1)}`],
    ['empty rows', '\n'.repeat(MAX_BODY_ROWS + 2)],
    ['cells', `a\n${`${','.repeat(999)}\n`.repeat(MAX_BODY_VALUES / 1_000)}`],
    ['cells of one row', `a\n${','.repeat(MAX_ROW_VALUES + 1)}`],
  ])('too many %s are rejected before they are parsed', (_, csv) => {
    expect(outcome(() => read(csv, 'text/csv'))).toBe('54000');
  });
});

describe('twice the input takes at most twice as many chunks', () => {
  const JSON_SHAPES: Readonly<Record<string, (count: number) => string>> = {
    'empty objects': (count) => `[${'{},'.repeat(count)}{}]`,
    'empty lists': (count) => `[${'[],'.repeat(count)}[]]`,
    'lists that do not end': (count) => '[1,'.repeat(count),
    'one long text': (count) => `{"a":"${'x'.repeat(count)}"}`,
    'one long text of escapes': (count) => `{"a":"${'\\"'.repeat(count)}"}`,
    'a text that does not end': (count) => `["${'\\\\'.repeat(count)}`,
    'one long number': (count) => '9'.repeat(count),
    spaces: (count) => ' '.repeat(count),
    commas: (count) => `[${','.repeat(count)}]`,
    'closing brackets': (count) => ']'.repeat(count),
    names: (count) => `{${'"a":1,'.repeat(count)}"a":1}`,
  };
  const CSV_SHAPES: Readonly<Record<string, (count: number) => string>> = {
    'short lines': (count) => 'a\n'.repeat(count),
    'empty cells': (count) => ','.repeat(count),
    quotes: (count) => '"'.repeat(count),
    'a quote that does not close': (count) => `a\n"${'x\n'.repeat(count)}`,
    'line ends of the old kind': (count) => '\r'.repeat(count),
  };
  const FORM_SHAPES: Readonly<Record<string, (count: number) => string>> = {
    ampersands: (count) => '&'.repeat(count),
    names: (count) => 'a&'.repeat(count),
    escapes: (count) => '%41'.repeat(count),
  };
  const shapes = [
    ...Object.entries(JSON_SHAPES).map(([name, make]) => [name, 'application/json', make] as const),
    ...Object.entries(CSV_SHAPES).map(([name, make]) => [name, 'text/csv', make] as const),
    ...Object.entries(FORM_SHAPES).map(([name, make]) => [name, 'application/x-www-form-urlencoded', make] as const),
  ];
  test.each(shapes)('%s as %s', (_, type, make) => {
    for (const count of [20_000, 80_000, 320_000]) {
      const pieces = piecesOf(make(count), type);
      expect(pieces).toBeLessThanOrEqual(2 * Math.ceil(make(count).length / BYTES_PER_SLICE) + 1);
      expect(piecesOf(make(2 * count), type)).toBeLessThanOrEqual(2 * pieces + 2);
    }
  });
});

describe('a form', () => {
  const FORM = 'application/x-www-form-urlencoded';
  const parts = fc
    .array(
      fc.constantFrom('+', '%', '%4', '%41', '%2B', '%c3%a9', '%f0%9f%98%80', '%ef%bb%bf', 'é', 'a b', '%zz', '%0'),
      {
        minLength: 1,
        maxLength: 9,
      },
    )
    // The separator prevents that an escape sequence runs across two parts.
    .map((each) => `${each.join('x')}x`);

  test('a long value is the concatenation of its parts', () => {
    fc.assert(
      fc.property(parts, (part) => {
        const times = Math.ceil((2 * BYTES_PER_SLICE) / part.length);
        const short = read(`a=${part}`, FORM) as Extract<Document, { kind: 'json' }>;
        const long = read(`a=${part.repeat(times)}`, FORM) as typeof short;
        const { a } = short.value as { a: string };
        expect((long.value as { a: string }).a === a.repeat(times)).toBe(true);
      }),
      { numRuns: 15 * RUNS },
    );
  });

  test.each(['%00', '%ff', '%c3'])('%s is rejected in a long value as in a short one', (bad) => {
    for (const rest of ['x', 'x'.repeat(2 * BYTES_PER_SLICE)]) {
      expect(outcome(() => read(`a=${bad}${rest}`, FORM))).toBe('22021');
    }
  });
});
