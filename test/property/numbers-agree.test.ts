/**
 * Numbers are equal to the last digit on both engines: PostgreSQL uses its own arithmetic, and SQLite uses that of the
 * service. Prices and numeric texts of any length are stored, cast, summed, averaged, compared and ordered.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Catalogue, openCatalogue } from '../support/engines/catalogue.ts';
import { RUNS } from '../support/generated/generators.ts';
import { sendJson } from '../support/stories.ts';

const price = fc.oneof(
  fc.integer({ min: -999_999_999_999, max: 999_999_999_999 }).map((units) => units / 10_000),
  fc.integer({ min: -500, max: 500 }).map((units) => units / 100),
  fc.constantFrom(0, 0.1, 0.2, 0.3, 2.5, 3.5, -0.5, 99999999.9999),
);
const stock = fc.oneof(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), fc.integer({ min: -5, max: 5 }));

const digits = (most: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${most}}$`));
const decimalText = fc
  .tuple(fc.constantFrom('', '-', '+', ' '), digits(30), fc.option(digits(25)))
  .map(([sign, whole, fraction]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}`);
const numberText = fc.oneof(
  { weight: 4, arbitrary: decimalText },
  { weight: 2, arbitrary: fc.integer({ min: -30, max: 30 }).map((units) => (units / 4).toFixed(3)) },
  { weight: 1, arbitrary: fc.tuple(decimalText, fc.integer({ min: -40, max: 40 })).map(([text, e]) => `${text}e${e}`) },
  { weight: 1, arbitrary: fc.constantFrom('NaN', 'Infinity', '-inf', '.5', '5.', '-0', '0.000', '1e3') },
);
const wholeText = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);

interface Given {
  readonly unit_price: number | null;
  readonly units_in_stock: number | null;
  readonly category_id: number;
  readonly product_name: string;
  readonly quantity_per_unit: string | null;
}
const given: fc.Arbitrary<Given> = fc.record({
  unit_price: fc.option(price),
  units_in_stock: fc.option(stock),
  category_id: fc.integer({ min: 1, max: 3 }),
  product_name: wholeText,
  quantity_per_unit: fc.option(numberText),
});

const AGGREGATES = ['sum', 'avg', 'min', 'max', 'count'];
const TYPES = ['', '::text', '::numeric', '::int8', '::float8', '::int'];
const OPERANDS = [
  'unit_price',
  'units_in_stock',
  'unit_price::numeric',
  'units_in_stock::numeric',
  'unit_price::int8',
  'quantity_per_unit::numeric',
  'product_name::int8',
  'product_name::numeric',
];

/** Each operand and aggregate is a separate request, so that a rejected one does not hide another. */
const SELECTS = [
  ...OPERANDS.flatMap((operand) =>
    AGGREGATES.flatMap((call) =>
      TYPES.map((type) => `select=category_id,n:${operand}.${call}()${type}&order=n,category_id`),
    ),
  ),
  // The sum of doubles depends on the row order, which is not defined.
  ...['unit_price::float8', 'quantity_per_unit::float8'].flatMap((operand) =>
    ['min', 'max'].flatMap((call) => TYPES.map((type) => `select=n:${operand}.${call}()${type}`)),
  ),
  'select=n:quantity_per_unit::float8',
  ...OPERANDS.map((operand) => `select=id,n:${operand}`),
  'select=n:quantity_per_unit::numeric,count()',
  'select=n:unit_price::text,m:quantity_per_unit::numeric&order=unit_price.desc&limit=3',
];

const NUMBER = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/g;

describe('both engines compute the same numbers', () => {
  let catalogues: Catalogue[] = [];
  beforeAll(async () => {
    catalogues = [await openCatalogue('SQLite'), await openCatalogue('PostgreSQL')];
  });
  afterAll(() => Promise.all(catalogues.map((catalogue) => catalogue.close())));

  async function answer(catalogue: Catalogue, query: string, accept: string): Promise<string> {
    const response = await catalogue.fetch(`/products?${query}`, { headers: { accept } });
    const text = await response.text();
    // The text form of a double is not unique.
    if (response.status < 400) return query.includes('float8') ? text.replace(NUMBER, (each) => `${+each + 0}`) : text;
    const { code } = JSON.parse(text) as { code: string };
    // If several numbers cannot be cast, each engine may report a different one first.
    return code === '0A000' ? '22003' : code;
  }

  test('over any stored values', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(given, { minLength: 1, maxLength: 8 }),
        fc.array(fc.constantFrom(...SELECTS), { minLength: 6, maxLength: 20 }),
        fc.constantFrom('application/json', 'application/json', 'text/csv'),
        async (rows, selects, accept) => {
          const body = rows.map((row, index) => ({ id: index + 1, ...row }));
          for (const catalogue of catalogues) {
            await catalogue.fetch('/products?id=not.is.null', { method: 'DELETE' });
            expect((await catalogue.fetch('/products', sendJson('POST', body))).status).toBe(201);
          }
          for (const query of selects) {
            const [sqlite, postgres] = await Promise.all(catalogues.map((each) => answer(each, query, accept)));
            expect({ query, text: sqlite! }).toEqual({ query, text: postgres! });
          }
        },
      ),
      { numRuns: 8 * RUNS },
    ));
});
