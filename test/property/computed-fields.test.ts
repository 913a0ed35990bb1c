/**
 * Computed fields against a model: random expressions over random rows give the same values on both engines as exact
 * arithmetic here, or fail with 22003 where a number does not fit its field.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { jsonText, parseJson, WrittenNumber } from '../../src/collection/exact-json.ts';
import type { Catalogue } from '../support/engines/catalogue.ts';
import { declaredBy, ROLE_ENGINES } from '../support/engines/roles.ts';
import { openDeclared } from '../support/engines/shop.ts';
import { RUNS } from '../support/generated/runs.ts';

import { send } from '../support/stories.ts';

/** Numbers are units of 10^-400, more decimals than any result here has. */
const SCALE = 400n;
const ONE = 10n ** SCALE;
type Model = bigint | boolean | string | null;
type Row = Readonly<Record<string, Model>>;
type Family = 'number' | 'boolean' | 'text' | 'date';

interface Made {
  readonly text: string;
  readonly value: (row: Row) => Model;
}

const FIELDS = {
  i: 'int4',
  b: 'int8',
  p: 'decimal(12,2)',
  q: 'decimal(18,6)',
  t: 'text',
  u: 'text',
  f: 'boolean',
  d: 'date',
  e: 'date',
};
const FAMILIES: Readonly<Record<string, Family>> = {
  i: 'number',
  b: 'number',
  p: 'number',
  q: 'number',
  t: 'text',
  u: 'text',
  f: 'boolean',
  d: 'date',
  e: 'date',
};
const TARGETS = {
  number: ['decimal(18,6)', 'decimal(15,2)', 'int8', 'int4', 'decimal(9,0)'],
  text: ['text'],
  boolean: ['boolean'],
  date: ['date'],
} as const;

/** Half away from zero. */
function roundTo(units: bigint, decimals: number): bigint {
  const step = 10n ** (SCALE - BigInt(decimals));
  const size = units < 0n ? -units : units;
  const nearest = ((size * 2n + step) / (step * 2n)) * step;
  return units < 0n ? -nearest : nearest;
}

/** In whole units, for exact text. */
function printed(units: bigint): string {
  const digits = String(units < 0n ? -units : units).padStart(Number(SCALE) + 1, '0');
  const text = `${digits.slice(0, -Number(SCALE))}.${digits.slice(-Number(SCALE))}`.replace(/\.?0+$/, '');
  return units < 0n ? `-${text}` : text;
}

const strict =
  (compute: (...given: never[]) => Model) =>
  (...given: readonly Model[]): Model =>
    given.includes(null) ? null : compute(...(given as never[]));
const order = (one: Model, other: Model): number => {
  if (typeof one === 'string') {
    const [left, right] = [[...one], [...(other as string)]].map((each) =>
      each.map((sign) => sign.codePointAt(0)!.toString(16).padStart(6, '0')).join(''),
    );
    return left! < right! ? -1 : Number(left! > right!);
  }
  return one! < other! ? -1 : Number(one! > other!);
};
const cased = (change: (sign: string) => string) => (text: string) =>
  [...text].map((sign) => ([...change(sign)].length === 1 ? change(sign) : sign)).join('');

function made(text: string, args: readonly Made[], compute: (...given: readonly Model[]) => Model): Made {
  return { text, value: (row) => compute(...args.map((each) => each.value(row))) };
}

const SIGNS = ['a', 'B', ' ', 'ä', 'Ö', 'ß', 'é', 'Ж', 'ж', '😀', "'", '"'];
const word = fc.array(fc.constantFrom(...SIGNS), { maxLength: 4 }).map((signs) => signs.join(''));
const numeral = fc.constantFrom('0', '1', '2', '100', '0.5', '3.333', '12.005', '99999');
const read = (text: string): bigint => {
  const [, sign, whole, decimals = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text)!;
  const units = BigInt(whole + decimals) * 10n ** (SCALE - BigInt(decimals.length));
  return sign === '' ? units : -units;
};

function leaf(family: Family): fc.Arbitrary<Made> {
  const names = Object.keys(FAMILIES).filter((name) => FAMILIES[name] === family);
  const field = fc.constantFrom(...names).map((name): Made => ({ text: name, value: (row) => row[name]! }));
  const constant: fc.Arbitrary<Made> =
    family === 'number'
      ? numeral.map((text) => ({ text, value: () => read(text) }))
      : family === 'text'
        ? word.map((text) => ({ text: `'${text.replaceAll("'", "''")}'`, value: () => text }))
        : family === 'boolean'
          ? fc.constantFrom(true, false).map((value) => ({ text: String(value), value: () => value }))
          : field;
  return fc.oneof({ arbitrary: field, weight: 4 }, { arbitrary: constant, weight: 2 });
}

const comparisons: Readonly<Record<string, (order: number) => boolean>> = {
  '=': (each) => each === 0,
  '<>': (each) => each !== 0,
  '<': (each) => each < 0,
  '<=': (each) => each <= 0,
  '>': (each) => each > 0,
  '>=': (each) => each >= 0,
};
const or = (one: Model, other: Model) =>
  one === true || other === true ? true : one === null || other === null ? null : false;
const not = strict((value: boolean) => !value);

function expression(family: Family, depth: number): fc.Arbitrary<Made> {
  if (depth === 0) return leaf(family);
  const of = (each: Family) => expression(each, depth - 1);
  const shared = [
    leaf(family),
    fc
      .tuple(of(family), of(family))
      .map((args) => made(`coalesce(${args[0].text}, ${args[1].text})`, args, (one, other) => one ?? other!)),
    fc
      .tuple(of('boolean'), of(family), of(family))
      .map(([test, one, other]) =>
        made(`case when ${test.text} then ${one.text} else ${other.text} end`, [test, one, other], (is, yes, no) =>
          is === true ? yes! : no!,
        ),
      ),
  ];
  const binary = (family: Family, sign: string, compute: (...given: readonly Model[]) => Model) =>
    fc.tuple(of(family), of(family)).map((args) => made(`(${args[0].text} ${sign} ${args[1].text})`, args, compute));
  const call = (from: Family, name: string, compute: (...given: readonly Model[]) => Model) =>
    of(from).map((arg) => made(`${name}(${arg.text})`, [arg], compute));
  if (family === 'number') {
    return fc.oneof(
      ...shared,
      binary(
        'number',
        '+',
        strict((one: bigint, other: bigint) => one + other),
      ),
      binary(
        'number',
        '-',
        strict((one: bigint, other: bigint) => one - other),
      ),
      binary(
        'number',
        '*',
        strict((one: bigint, other: bigint) => (one * other) / ONE),
      ),
      binary(
        'number',
        '/',
        strict((one: bigint, other: bigint) =>
          other === 0n ? null : ((one * 10n ** 20n) / other) * 10n ** (SCALE - 20n),
        ),
      ),
      call(
        'number',
        '-',
        strict((one: bigint) => -one),
      ),
      call(
        'number',
        'abs',
        strict((one: bigint) => (one < 0n ? -one : one)),
      ),
      fc.tuple(of('number'), fc.integer({ min: 0, max: 4 })).map(([arg, decimals]) =>
        made(
          `round(${arg.text}, ${decimals})`,
          [arg],
          strict((one: bigint) => roundTo(one, decimals)),
        ),
      ),
      call(
        'text',
        'length',
        strict((one: string) => BigInt([...one].length) * ONE),
      ),
      fc
        .tuple(of('text'), leaf('number'), leaf('date'))
        .map((args) =>
          made(
            `filled(${args.map(({ text }) => text).join(', ')})`,
            args,
            (...given) => BigInt(given.filter((each) => each !== null && each !== '').length) * ONE,
          ),
        ),
    );
  }
  if (family === 'text') {
    return fc.oneof(
      ...shared,
      binary(
        'text',
        '||',
        strict((one: string, other: string) => one + other),
      ),
      fc.tuple(of('text'), of('number')).map((args) =>
        made(
          `(${args[0].text} || ${args[1].text})`,
          args,
          strict((one: string, other: bigint) => one + printed(other)),
        ),
      ),
      leaf('text').map((arg) => made(`lower(${arg.text})`, [arg], strict(cased((sign) => sign.toLowerCase())))),
      leaf('text').map((arg) => made(`upper(${arg.text})`, [arg], strict(cased((sign) => sign.toUpperCase())))),
    );
  }
  if (family === 'date') return fc.oneof(...shared);
  const compare = (of: Family) =>
    fc.constantFrom(...Object.keys(comparisons)).chain((sign) =>
      binary(
        of,
        sign,
        strict((one: never, other: never) => comparisons[sign]!(order(one, other))),
      ),
    );
  return fc.oneof(
    ...shared,
    compare('number'),
    compare('text'),
    compare('date'),
    compare('boolean'),
    binary('boolean', 'or', or),
    binary('boolean', 'and', (one, other) => not(or(not(one!), not(other!)))),
    call('boolean', 'not ', not),
    fc
      .constantFrom<Family>('number', 'text', 'boolean')
      .chain((family) => of(family).map((arg) => made(`(${arg.text} is null)`, [arg], (value) => value === null))),
    of('text').map((arg) => made(`(${arg.text} is not null)`, [arg], (value) => value !== null)),
  );
}

const OVERFLOW = Symbol('overflow');
const INTEGERS: Readonly<Record<string, bigint>> = { int4: 31n, int8: 63n };

/** The JSON text of the stored value. */
function stored(type: string, value: Model): string | typeof OVERFLOW {
  if (typeof value !== 'bigint') return JSON.stringify(value);
  const [, precision, scale] = /^decimal\((\d+),(\d+)\)$/.exec(type) ?? [];
  const rounded = roundTo(value, Number(scale ?? 0));
  const size = rounded < 0n ? -rounded : rounded;
  const limit =
    precision === undefined
      ? (2n ** INTEGERS[type]! + (rounded < 0n ? 1n : 0n)) * ONE
      : 10n ** BigInt(Number(precision) - Number(scale)) * ONE;
  return size >= limit ? OVERFLOW : printed(rounded);
}

const target = fc.constantFrom<Family>('number', 'number', 'number', 'text', 'boolean', 'date').chain((family) =>
  fc.record({
    type: fc.constantFrom(...TARGETS[family]),
    made: fc.integer({ min: 1, max: 3 }).chain((depth) => expression(family, depth)),
  }),
);
const cell: Readonly<Record<string, fc.Arbitrary<string>>> = {
  i: fc.oneof(fc.constantFrom('0', '-1', '2147483647'), fc.integer({ min: -999, max: 999 }).map(String)),
  b: fc.oneof(
    fc.constantFrom('9007199254740993', '-9223372036854775807'),
    fc.integer({ min: -99, max: 99 }).map(String),
  ),
  p: fc.oneof(
    fc.constantFrom('0', '0.01', '-9999999999.99'),
    fc.integer({ min: -99999, max: 99999 }).map((units) => printed((BigInt(units) * ONE) / 100n)),
  ),
  q: fc.oneof(
    fc.constantFrom('0.000001', '999999999999.999999'),
    fc.integer({ min: -9_999_999, max: 9_999_999 }).map((units) => printed((BigInt(units) * ONE) / 1_000_000n)),
  ),
  t: word,
  u: word,
  f: fc.constantFrom('true', 'false'),
  d: fc.constantFrom('2026-01-01', '2026-02-28'),
  e: fc.constantFrom('2026-01-01', '1999-12-31'),
};
const row = fc.record(
  Object.fromEntries(Object.entries(cell).map(([name, each]) => [name, fc.option(each, { freq: 6 })])),
);
const modelOf = (name: string, text: string | null): Model =>
  text === null ? null : FAMILIES[name] === 'number' ? read(text) : name === 'f' ? text === 'true' : text;
const jsonOf = (name: string, text: string | null): unknown =>
  text === null ? null : FAMILIES[name] === 'number' ? new WrittenNumber(text) : name === 'f' ? text === 'true' : text;

const isShort = ({ made }: { readonly made: Made }) => made.text.length <= 1_000;
const [computed, rows] = fc.sample(
  fc.tuple(
    fc.array(target.filter(isShort), { minLength: 40 * RUNS, maxLength: 40 * RUNS }),
    fc.array(row, { minLength: 12, maxLength: 12 }),
  ),
  1,
)[0]!;

const JSON_BODY = 'application/json';
const PER_COLLECTION = 4;
const COLLECTIONS = Array.from({ length: computed.length / PER_COLLECTION }, (_, at) => ({
  name: `c${at}`,
  computed: computed.slice(at * PER_COLLECTION, (at + 1) * PER_COLLECTION),
}));
const CATALOGUE = declaredBy(
  jsonText({
    collections: Object.fromEntries(
      COLLECTIONS.map(({ name, computed }) => [
        name,
        {
          fields: {
            id: 'int4',
            ...FIELDS,
            ...Object.fromEntries(computed.map(({ type, made: { text } }, at) => [`x${at}`, { type, computed: text }])),
          },
        },
      ]),
    ),
  }),
);

describe.each(ROLE_ENGINES.filter((engine) => engine !== 'SQLite with large tables'))(
  'computed fields on %s',
  (engine) => {
    let shop: Catalogue;
    beforeAll(async () => {
      shop = await openDeclared(engine, CATALOGUE, {});
    });
    afterAll(() => shop.close());

    test('have the values of exact arithmetic', async () => {
      let checked = 0;
      for (const { name, computed } of COLLECTIONS) {
        for (const [at, given] of rows.entries()) {
          const cells = Object.fromEntries(Object.entries(given).map(([field, text]) => [field, jsonOf(field, text)]));
          const model = Object.fromEntries(Object.entries(given).map(([field, text]) => [field, modelOf(field, text)]));
          const wanted: unknown[] = computed.map(({ type, made }) => stored(type, made.value(model)));
          const fails = wanted.includes(OVERFLOW);
          const description = jsonText({
            cells,
            expressions: computed.map(({ type, made: { text } }) => `${type}: ${text}`),
          });
          // The planner computes the values of new rows, the engine itself those of changed rows.
          const posted = await shop.fetch(`/${name}`, send('POST', JSON_BODY, jsonText({ id: at, ...cells })));
          expect([posted.status, description]).toEqual([fails ? 400 : 201, description]);
          if (fails) await shop.fetch(`/${name}`, send('POST', JSON_BODY, jsonText({ id: at })));
          const changed = await shop.fetch(
            `/${name}?id=eq.${at}`,
            send('PATCH', JSON_BODY, jsonText({ ...cells, i: null, t: null })),
          );
          const patched = await shop.fetch(`/${name}?id=eq.${at}`, send('PATCH', JSON_BODY, jsonText(cells)));
          if (fails) {
            expect([((await patched.json()) as { code: string }).code, description]).toEqual(['22003', description]);
            continue;
          }
          expect([204, 400]).toContain(changed.status);
          expect([patched.status, description]).toEqual([204, description]);
          const [found] = parseJson(await (await shop.fetch(`/${name}?id=eq.${at}`)).text()) as Record<
            string,
            unknown
          >[];
          expect([computed.map((_, nth) => jsonText(found![`x${nth}`])), description]).toEqual([
            wanted as string[],
            description,
          ]);
          checked++;
        }
      }
      expect(checked).toBeGreaterThan(COLLECTIONS.length);
    });
  },
);
