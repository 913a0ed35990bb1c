/** Generated values of every type, as the JSON text of the expected response. */
import fc from 'fast-check';
import { parseJson, WrittenNumber } from '../../../src/collection/exact-json.ts';
import { decimalKey } from '../../../src/collection/types/number/decimal-text.ts';
import { float4 } from '../../../src/collection/types/number/floats.ts';

type Text = fc.Arbitrary<string>;

const quoted = (values: fc.Arbitrary<string>): Text => values.map((value) => JSON.stringify(value));

const whole = (bits: bigint): Text => {
  const bound = 2n ** (bits - 1n);
  const any = fc.bigInt({ min: -bound, max: bound - 1n });
  return fc.oneof(any, fc.bigInt({ min: -3n, max: 3n }), fc.constantFrom(-bound, bound - 1n)).map(String);
};

function decimal(precision: number, scale: number): Text {
  const bound = 10n ** BigInt(precision);
  const units = fc.oneof(
    fc.bigInt({ min: 1n - bound, max: bound - 1n }),
    fc.bigInt({ min: -20n, max: 20n }).map((few) => few * 10n ** BigInt(Math.max(0, scale - 1))),
  );
  return units.map((each) => {
    const digits = (each < 0n ? -each : each).toString().padStart(scale + 1, '0');
    const fraction = scale === 0 ? '' : `.${digits.slice(-scale)}`.replace(/\.?0+$/, '');
    const text = `${scale === 0 ? digits : digits.slice(0, -scale)}${fraction}`;
    return each < 0n ? `-${text}` : text;
  });
}

const float = (numbers: fc.Arbitrary<number>): Text =>
  fc
    .oneof(
      numbers,
      fc.integer({ min: -5, max: 5 }),
      fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -1e300 * 1e300),
    )
    .map((number) => (Number.isFinite(number) ? String(number + 0) : JSON.stringify(String(number))));

/** Texts that PostgreSQL can store, some of them similar. */
const text = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.string({ unit: 'grapheme', maxLength: 5 }),
    fc.constantFrom(
      '',
      'a',
      'b',
      'a\u0001',
      'a\u0001b',
      'null',
      'NULL',
      '{}',
      'a"b',
      'a\\b',
      'a, b',
      '\u{1F34B}',
      '\uFFFD',
    ),
  )
  .map((each) => each.replaceAll('\0', '').toWellFormed());

const two = (value: number) => String(value).padStart(2, '0');
const fraction = fc
  .oneof(fc.constant(0), fc.integer({ min: 0, max: 999_999 }), fc.constantFrom(500_000, 120_000, 1))
  .map((micros) => (micros === 0 ? '' : `.${String(micros).padStart(6, '0').replace(/0+$/, '')}`));
const clock = fc
  .tuple(fc.integer({ min: 0, max: 86_399 }), fraction)
  .map(
    ([second, part]) =>
      `${two(Math.floor(second / 3600))}:${two(Math.floor(second / 60) % 60)}:${two(second % 60)}${part}`,
  );
const day = fc
  .oneof(
    fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }),
    fc.date({ min: new Date('2024-02-27T00:00:00Z'), max: new Date('2024-03-02T00:00:00Z'), noInvalidDate: true }),
  )
  .map((date) => date.toISOString().slice(0, 10));
const endless = (values: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 9, arbitrary: values }, { weight: 1, arbitrary: fc.constantFrom('infinity', '-infinity') });

const number = fc.oneof(
  fc.integer().map(String),
  decimal(18, 6),
  fc.constantFrom('1', '1.0', '1.50', '100', '1e2', '12345678901234567890', '-0.000001', '1e-7', '9007199254740993'),
);
const json: Text = fc.letrec<{ any: string; single: string; list: string; object: string }>((tie) => ({
  any: fc.oneof({ maxDepth: 3, withCrossShrink: true }, tie('single'), tie('list'), tie('object')),
  single: fc.oneof(quoted(text), number, fc.constantFrom('true', 'false')),
  list: fc.array(fc.oneof(tie('any'), fc.constant('null')), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
  object: fc
    .uniqueArray(fc.tuple(fc.oneof(text, fc.constantFrom('a', 'b', 'aa')), tie('any')), {
      selector: ([key]) => key,
      maxLength: 3,
    })
    .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`),
})).any;

const SINGLE: Readonly<Record<string, Text>> = {
  int2: whole(16n),
  int4: whole(32n),
  int8: whole(64n),
  'decimal(12,4)': decimal(12, 4),
  'decimal(15,9)': decimal(15, 9),
  'decimal(18,6)': decimal(18, 6),
  'decimal(18,0)': decimal(18, 0),
  float4: float(fc.float().map((number) => Number(float4.print(number)))),
  float8: float(fc.double()),
  text: quoted(text),
  boolean: fc.constantFrom('true', 'false'),
  date: quoted(endless(day)),
  time: quoted(fc.oneof(clock, fc.constant('24:00:00'))),
  timestamp: quoted(endless(fc.tuple(day, clock).map(([date, time]) => `${date}T${time}`))),
  timestamptz: quoted(endless(fc.tuple(day, clock).map(([date, time]) => `${date}T${time}+00:00`))),
  uuid: quoted(fc.uuid()),
  json,
};

/**
 * Generates arrays with one dimension, or with two dimensions of equal length. The elements are not arrays themselves.
 */
function arrayOf(element: Text): Text {
  const item = fc.oneof(
    { weight: 6, arbitrary: element.filter((each) => !each.startsWith('[')) },
    { weight: 1, arbitrary: fc.constant('null') },
  );
  const list = (items: readonly string[]) => `[${items.join(',')}]`;
  return fc.oneof(
    fc.array(item, { maxLength: 4 }).map(list),
    fc.tuple(item, item, item, item).map(([a, b, c, d]) => list([list([a, b]), list([c, d])])),
  );
}

/** Generators by type name, for all types and arrays of all types. */
export const TYPE_VALUES: Readonly<Record<string, Text>> = {
  ...SINGLE,
  ...Object.fromEntries(Object.entries(SINGLE).map(([name, values]) => [`${name}[]`, arrayOf(values)])),
};

/** Parses JSON for an exact comparison of numbers: 1.0 equals 1, but two neighbours beyond 2^53 differ. */
export function comparable(written: string): unknown {
  const normal = (value: unknown): unknown => {
    if (typeof value === 'number') return { number: decimalKey(String(value)) };
    // A float may be written with other digits, and is then the same double.
    if (value instanceof WrittenNumber) {
      return { number: decimalKey(/e/i.test(value.text) ? String(Number(value.text)) : value.text) };
    }
    if (Array.isArray(value)) return value.map(normal);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, normal(each)]));
  };
  return normal(parseJson(written));
}
