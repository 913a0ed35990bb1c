/**
 * Operations of a PATCH against a model that computes with fractions: every result is exact and rounded once, on both
 * engines, or the request fails with the code of the first thing that is wrong. A bulk update does the same as single
 * requests in its order.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Catalogue } from '../support/engines/catalogue.ts';
import { declaredBy } from '../support/engines/roles.ts';
import { openDeclared } from '../support/engines/shop.ts';
import { RUNS } from '../support/generated/generators.ts';
import { send } from '../support/stories.ts';

interface NumberField {
  readonly type: string;
  readonly decimals: number;
  /** The bounds of the type and of the rules, in units of the last decimal. */
  readonly largest: bigint;
  readonly least: bigint;
  readonly rule?: readonly [minimum: bigint, maximum: bigint];
}

const integer = (type: string, bits: bigint): NumberField => {
  const half = 2n ** (bits - 1n);
  return { type, decimals: 0, largest: half - 1n, least: -half };
};
const decimal = (precision: number, decimals: number): NumberField => {
  const largest = 10n ** BigInt(precision) - 1n;
  return { type: `decimal(${precision},${decimals})`, decimals, largest, least: -largest };
};

const NUMBERS: Readonly<Record<string, NumberField>> = {
  small: integer('int2', 16n),
  plain: integer('int4', 32n),
  large: integer('int8', 64n),
  whole: decimal(18, 0),
  money: decimal(18, 2),
  half: decimal(18, 9),
  share: decimal(18, 18),
  price: decimal(12, 4),
  tiny: decimal(3, 3),
  stock: { ...integer('int4', 32n), rule: [0n, 50n] },
  discount: { ...decimal(10, 3), rule: [0n, 1_000n] },
};

const rules = ({ rule, decimals }: NumberField) =>
  rule === undefined ? '' : `, minimum: ${print(rule[0], decimals)}, maximum: ${print(rule[1], decimals)}`;
const CATALOGUE = declaredBy(`
collections:
  things:
    fields:
      id: int4
      sku: { type: text, unique: true }
      rank: { type: int4, unique: true }
      list: 'int4[]'
${Object.entries(NUMBERS)
  .map(([name, field]) => `      ${name}: { type: '${field.type}'${rules(field)} }`)
  .join('\n')}
`);

/** The decimal of a number of units, without trailing zeros. */
function print(units: bigint, decimals: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** A fraction; the denominator is positive. */
type Fraction = readonly [numerator: bigint, denominator: bigint];

function roundTo([numerator, denominator]: Fraction, decimals: number): bigint {
  const scaled = decimals >= 0 ? numerator * 10n ** BigInt(decimals) : numerator;
  const by = decimals >= 0 ? denominator : denominator * 10n ** BigInt(-decimals);
  const size = scaled < 0n ? -scaled : scaled;
  const nearest = (size * 2n + by) / (by * 2n);
  return scaled < 0n ? -nearest : nearest;
}

function fractionOf(units: bigint, decimals: number): Fraction {
  return decimals >= 0 ? [units, 10n ** BigInt(decimals)] : [units * 10n ** BigInt(-decimals), 1n];
}

interface Sum {
  readonly operation: 'increment' | 'decrement' | 'multiply' | 'divide';
  readonly operand: { readonly units: bigint; readonly decimals: number };
  readonly round: number | undefined;
}

function compute({ operation, operand, round }: Sum, value: Fraction): Fraction {
  const [a, b] = value;
  const [c, d] = fractionOf(operand.units, operand.decimals);
  const result = ((): Fraction => {
    if (operation === 'increment') return [a * d + c * b, b * d];
    if (operation === 'decrement') return [a * d - c * b, b * d];
    if (operation === 'multiply') return [a * c, b * d];
    return c < 0n ? [-a * d, -b * c] : [a * d, b * c];
  })();
  return round === undefined ? result : fractionOf(roundTo(result, round), round);
}

/** The new text of a value, or the code of the error. */
function expected(field: NumberField, units: bigint | null, sum: Sum): { value: string } | { code: string } {
  if (sum.operation === 'divide' && sum.operand.units === 0n) return { code: '22012' };
  if (units === null) return { value: '' };
  const result = roundTo(compute(sum, fractionOf(units, field.decimals)), field.decimals);
  if (result > field.largest || result < field.least) return { code: '22003' };
  const [minimum, maximum] = field.rule ?? [result, result];
  return result < minimum || result > maximum ? { code: '23514' } : { value: print(result, field.decimals) };
}

const near = (value: bigint) => fc.bigInt({ min: -3n, max: 3n }).map((step) => value + step);
const unitsOf = ({ largest, least, rule }: NumberField): fc.Arbitrary<bigint> => {
  const [min, max] = rule ?? [least, largest];
  const any = fc.oneof(fc.bigInt({ min, max }), near(0n), near(min), near(max), near(max / 2n));
  return any.map((units) => (units < min ? min : units > max ? max : units));
};
const operand = fc
  .record({
    units: fc.oneof(
      near(0n),
      fc.bigInt({ min: -1000n, max: 1000n }),
      fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
    ),
    decimals: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 38 })),
  })
  .map(({ units, decimals }) => ({ units, decimals }));
const sum: fc.Arbitrary<Sum> = fc.record({
  operation: fc.constantFrom('increment', 'decrement', 'multiply', 'divide'),
  operand,
  round: fc.option(fc.oneof(fc.integer({ min: -3, max: 6 }), fc.integer({ min: -18, max: 18 })), { nil: undefined }),
});

const writtenOperand = ({ operand: { units, decimals } }: Sum) => print(units, decimals);
const written = (each: Sum, quotes = '') => {
  const rounding = each.round === undefined ? '' : `,"round":${each.round}`;
  return `{"${each.operation}":${quotes}${writtenOperand(each)}${quotes}${rounding}}`;
};

const caseOf = fc.constantFrom(...Object.keys(NUMBERS)).chain((name) =>
  fc.record({
    name: fc.constant(name),
    units: fc.option(unitsOf(NUMBERS[name]!), { freq: 12 }),
    sum,
    quotes: fc.constantFrom('', '"'),
    isListed: fc.boolean(),
  }),
);

interface Outcome {
  readonly code?: string;
  readonly index?: number;
}

const element = fc.option(fc.integer({ min: 0, max: 4 }), { freq: 6 });

describe.each(['SQLite', 'PostgreSQL'])('on %s', (engine) => {
  let catalogue: Catalogue;
  beforeAll(async () => {
    catalogue = await openDeclared(engine, CATALOGUE, { things: [{ id: 1, sku: 'one' }] });
  });
  afterAll(() => catalogue.close());
  const patch = async (path: string, body: string) => {
    const response = await catalogue.fetch(path, send('PATCH', 'application/json', body));
    return response.status === 204 ? undefined : ((await response.json()) as { code: string }).code;
  };
  const stored = async (name: string) => {
    const response = await catalogue.fetch(`/things?id=eq.1&select=${name}`, { headers: { accept: 'text/csv' } });
    return (await response.text()).split('\n')[1]!;
  };

  test('a number is exact, rounded once, bounded, or null', () =>
    fc.assert(
      fc.asyncProperty(caseOf, async ({ name, units, sum: each, quotes, isListed }) => {
        const field = NUMBERS[name]!;
        const before = units === null ? '' : print(units, field.decimals);
        expect(await patch('/things/1', `{"${name}":${before === '' ? null : `"${before}"`}}`)).toBeUndefined();
        const operation = written(each, quotes);
        const code = isListed
          ? await patch('/things?on_conflict=sku', `[{"sku":"one","${name}":${operation}}]`)
          : await patch('/things?id=eq.1', `{"${name}":${operation}}`);
        const outcome = code === undefined ? { value: await stored(name) } : { code };
        const asked = { name, before, operation };
        expect({ ...asked, ...outcome }).toEqual({ ...asked, ...expected(field, units, each) });
        if (code !== undefined) expect(await stored(name)).toBe(before);
      }),
      { numRuns: 200 * RUNS },
    ));

  test('a list gains and loses elements', () =>
    fc.assert(
      fc.asyncProperty(
        fc.option(fc.array(element, { maxLength: 6 }), { freq: 8 }),
        fc.oneof(element, fc.array(element, { maxLength: 4 })),
        fc.boolean(),
        async (before, given, appends) => {
          expect(await patch('/things/1', JSON.stringify({ list: before }))).toBeUndefined();
          const operation = appends ? { append: given } : { remove: given };
          expect(await patch('/things/1', JSON.stringify({ list: operation }))).toBeUndefined();
          const others = [given].flat();
          const list = appends ? [...(before ?? []), ...others] : before?.filter((each) => !others.includes(each));
          expect(await catalogue.list('/things?id=eq.1&select=list')).toEqual([
            { list: before === null ? null : list },
          ] as never);
        },
      ),
      { numRuns: 50 * RUNS },
    ));

  test('a bulk update by sku does the same as single requests in its order', async () => {
    const skus = ['a', 'b', 'c', 'd', 'e', 'missing'];
    const rows = skus
      .slice(0, -1)
      .map((sku, index) => ({ id: index + 1, sku, rank: index, stock: 10 * index, list: [] }));
    const two = await Promise.all([0, 1].map(() => openDeclared(engine, CATALOGUE)));
    const [bulk, single] = two as [Catalogue, Catalogue];
    const change = fc.oneof(
      fc.integer({ min: 0, max: 6 }).map((rank) => ({ rank })),
      fc.constantFrom('increment', 'decrement', 'multiply').map((name) => ({ stock: { [name]: 3 } })),
      fc.integer({ min: 0, max: 50 }).map((stock) => ({ stock })),
      element.map((each) => ({ list: { append: each }, stock: { increment: 1 } })),
      fc.constant({}),
    );
    const changes = fc
      .shuffledSubarray(skus, { minLength: 1 })
      .chain((named) => fc.tuple(...named.map((sku) => change.map((fields) => ({ sku, ...fields })))));
    const begin = async (each: Catalogue) => {
      await each.fetch('/things?id=gt.0', { method: 'DELETE' });
      const response = await each.fetch('/things', send('POST', 'application/json', JSON.stringify(rows)));
      expect(response.status).toBe(201);
    };
    const sendAll = async (each: Catalogue, path: string, body: unknown): Promise<Outcome> => {
      const response = await each.fetch(path, send('PATCH', 'application/json', JSON.stringify(body)));
      return response.status === 204 ? {} : ((await response.json()) as Outcome);
    };
    try {
      await fc.assert(
        fc.asyncProperty(changes, async (body) => {
          await Promise.all(two.map(begin));
          const before = await bulk.list('/things');
          const outcome = await sendAll(bulk, '/things?on_conflict=sku', body);
          const codes: (string | undefined)[] = [];
          for (const { sku, ...fields } of body) {
            const { code } = await sendAll(single, `/things?sku=eq.${sku}`, fields);
            codes.push(code);
            if (code !== undefined) break;
          }
          const missing = body.findIndex(({ sku }) => sku === 'missing');
          const failed = codes.findIndex((code) => code !== undefined);
          const problem =
            failed !== -1
              ? { code: codes[failed], index: failed }
              : missing === -1
                ? {}
                : { code: 'CAT404', index: missing };
          expect({ body, code: outcome.code, index: outcome.index }).toEqual({
            body,
            code: undefined,
            index: undefined,
            ...problem,
          } as never);
          const after = await bulk.list('/things');
          expect(after).toEqual('code' in problem ? before : await single.list('/things'));
        }),
        { numRuns: 30 * RUNS },
      );
    } finally {
      await Promise.all(two.map((each) => each.close()));
    }
  });
});

test('both engines compute floats alike', async () => {
  const floats = declaredBy(`
collections:
  things:
    fields: { id: int4, single: float4, double: float8 }
`);
  const engines = await Promise.all(['SQLite', 'PostgreSQL'].map((name) => openDeclared(name, floats)));
  const number = fc.oneof(
    fc.double({ noDefaultInfinity: true, noNaN: true }),
    fc.float({ noDefaultInfinity: true, noNaN: true }),
    fc.integer({ min: -1000, max: 1000 }),
    fc.constantFrom(0.1, 1e308, 5e-324, 3e38, 1e-45),
  );
  const value = fc.oneof(number.map(String), fc.constantFrom('NaN', 'Infinity', '-Infinity'));
  try {
    for (const each of engines) await each.fetch('/things', send('POST', 'application/json', '{"id":1}'));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('single', 'double'),
        value,
        fc.constantFrom('increment', 'decrement', 'multiply', 'divide'),
        number,
        fc.option(fc.integer({ min: -5, max: 18 }), { nil: undefined }),
        async (name, before, operation, operand, round) => {
          const answers = engines.map(async (each) => {
            const reset = JSON.stringify({ single: null, double: null, [name]: before });
            await each.fetch('/things/1', send('PATCH', 'application/json', reset));
            const body = JSON.stringify({ [name]: { [operation]: operand, round } });
            const headers = { prefer: 'return=representation' };
            const response = await each.fetch('/things/1', send('PATCH', 'application/json', body, headers));
            if (response.status === 200) return response.text();
            const { code, field } = (await response.json()) as { code: string; field: string };
            return { code, field };
          });
          const [one, other] = await Promise.all(answers);
          const asked = { name, before, operation, operand, round };
          expect({ asked, answer: one }).toEqual({ asked, answer: other });
        },
      ),
      { numRuns: 150 * RUNS },
    );
  } finally {
    await Promise.all(engines.map((each) => each.close()));
  }
});
