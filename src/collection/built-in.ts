/** The catalogue that is served where nothing else is declared: one collection, with the rows of a new database. */
import type { Collection } from './declaration.ts';
import { products } from './products.ts';
import referenceProducts from './reference-products.json' with { type: 'json' };
import type { Row } from './value.ts';

export interface BuiltIn {
  readonly collection: Collection;
  readonly rows: readonly Row[];
}

export const BUILT_IN: BuiltIn = { collection: products, rows: referenceProducts };
