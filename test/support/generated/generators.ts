/** Generated values, fields and products, derived from the declaration of the collection. */
import fc from 'fast-check';
import { INT4_MAX, INT4_MIN } from '../../../src/base/limits/declaration.ts';
import type { Field } from '../../../src/collection/declaration.ts';
import { products } from '../../../src/collection/products.ts';
import type { Row } from '../../../src/collection/value.ts';

export { RUNS } from './runs.ts';

/** Any text that can be stored: every character except NUL. */
const storableText = fc
  .oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary', maxLength: 40 }))
  .map((text) => text.replaceAll('\0', ''));

const VALUES: Readonly<Record<string, fc.Arbitrary<Row[string]>>> = {
  int4: fc.oneof(fc.integer({ min: -3, max: 100 }), fc.integer({ min: INT4_MIN, max: INT4_MAX })),
  decimal: fc.maxSafeInteger().map((units) => (units % 10 ** 12) / 10_000 + 0),
  text: storableText,
};

export function anyValueOf(field: Field): fc.Arbitrary<Row[string]> {
  const values = VALUES[field.type.kind]!;
  return field.required ? values : fc.option(values, { freq: 6 });
}

/** Products with all fields, including an id. */
export const product: fc.Arbitrary<Row> = fc.record(
  Object.fromEntries(products.fields.map((field) => [field.name, anyValueOf(field)])),
);

/** Generates a few products with distinct ids. */
export function distinctProducts(maxLength: number): fc.Arbitrary<Row[]> {
  return fc.uniqueArray(product, { selector: ({ id }) => id, minLength: 1, maxLength });
}
