/** The catalogue that is served without a declaration: one collection and its initial rows. */
import { type Catalogue, declareCatalogue } from './declaration.ts';
import { products } from './products.ts';
import referenceProducts from './reference-products.json' with { type: 'json' };
import type { Row } from './value.ts';

/** A catalogue and the initial rows of its collections, as JSON. */
export interface CatalogueWithRows {
  readonly catalogue: Catalogue;
  readonly rows: (collection: string) => readonly Row[];
}

export function isBuiltIn({ draft }: Catalogue): boolean {
  return draft.collections === BUILT_IN.catalogue.draft.collections;
}

export const BUILT_IN: CatalogueWithRows = {
  catalogue: declareCatalogue({ collections: [products.draft] }),
  rows: (name) => (name === products.name ? referenceProducts : []),
};
