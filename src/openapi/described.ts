/** The input of the descriptions of the API. */
import manifest from '../../package.json' with { type: 'json' };
import type { CatalogueWithRows } from '../collection/built-in.ts';
import { served } from '../collection/files.ts';

export const OPENAPI_MEDIA_TYPE = 'application/openapi+json';

/** The first row of each collection becomes an example. */
export interface Described extends CatalogueWithRows {
  readonly version: string;
  /** The SPDX identifier of the licence. */
  readonly license: string;
}

export function describe({ catalogue, rows }: CatalogueWithRows): Described {
  return { catalogue: served(catalogue), rows, version: manifest.version, license: manifest.license };
}
