/** `in` with any values returns exactly the products with one of them, in ascending id order. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { products } from '../../src/collection/products.ts';
import type { Value } from '../../src/collection/value.ts';
import { ENGINES, REFERENCE_PRODUCTS } from '../support/engines/catalogue.ts';
import { anyValueOf, RUNS } from '../support/generated/generators.ts';
import { ids, ownCatalogue, sendJson, sharedCatalogue, TEN_FIELDS } from '../support/stories.ts';

const quoted = (value: Value) => `"${String(value).replace(/["\\]/g, '\\$&')}"`;

/** Generates values of a field. About half of them occur in a product. */
function listFor(field: (typeof products.fields)[number]): fc.Arbitrary<Value[]> {
  const present = fc.constantFrom(...REFERENCE_PRODUCTS.map((product) => product[field.name] as Value));
  const any = anyValueOf(field).filter((value) => value !== null);
  return fc.array(fc.oneof(present, any), { maxLength: 30 });
}

describe.each(Object.keys(ENGINES))('the in filter on %s', (engine) => {
  const catalogue = sharedCatalogue(engine);

  test.each(products.fields.map((field) => [field.name, field] as const))(
    '%s=in.(any values) returns exactly the existing products in id order',
    async (name, field) => {
      await fc.assert(
        fc.asyncProperty(listFor(field), async (values) => {
          const list = encodeURIComponent(values.map(quoted).join(','));
          const expected = REFERENCE_PRODUCTS.filter((product) => values.includes(product[name] as Value));
          expect(await catalogue.list(`/products?${name}=in.(${list})`)).toEqual(expected);
        }),
        { numRuns: 5 * RUNS },
      );
    },
  );

  test('id=in.(any integers, unquoted) returns exactly the existing products in id order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: -50, max: 150 }), { maxLength: 200 }), async (wanted) => {
        const existing = [...new Set(wanted)].filter((id) => id >= 1 && id <= 77).sort((one, other) => one - other);
        expect(ids(await catalogue.list(`/products?id=in.(${wanted.join(',')})`))).toEqual(existing);
      }),
      { numRuns: 12 * RUNS },
    );
  });

  test('not.in returns exactly the other products', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: -50, max: 150 }), { minLength: 1, maxLength: 80 }),
        async (listed) => {
          const others = ids(REFERENCE_PRODUCTS).filter((id) => !listed.includes(id));
          expect(ids(await catalogue.list(`/products?id=not.in.(${listed.join(',')})`))).toEqual(others);
        },
      ),
      { numRuns: 8 * RUNS },
    );
  });
});

describe.each(Object.keys(ENGINES))('the in filter over generated names on %s', (engine) => {
  const catalogue = ownCatalogue(engine);

  test('finds each stored name, whatever its characters', async () => {
    const nameField = products.fields.find(({ name }) => name === 'product_name')!;
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(anyValueOf(nameField), { minLength: 1, maxLength: 8 }), async (names) => {
        const created = names.map((product_name, index) => ({ ...TEN_FIELDS, id: 1000 + index, product_name }));
        await catalogue.fetch('/products', sendJson('POST', created));
        // An empty text alone would be an empty list, as in PostgREST.
        const list = encodeURIComponent([...names, 'another'].map(quoted).join(','));
        expect(await catalogue.list(`/products?id=gte.1000&product_name=in.(${list})`)).toEqual(created);
        await catalogue.fetch('/products?id=gte.1000', { method: 'DELETE' });
      }),
      { numRuns: 8 * RUNS },
    );
  });
});
