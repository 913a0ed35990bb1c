/** The input of the API's descriptions: a catalogue and the version of the program. */
import manifest from '../../package.json' with { type: 'json' };
import type { CatalogueWithRows } from '../collection/built-in.ts';
import { served } from '../collection/files.ts';

export interface Described extends CatalogueWithRows {
  readonly version: string;
  /** The SPDX identifier of the licence. */
  readonly license: string;
  /** Whether the description omits the paths of the service itself. */
  readonly withoutService?: boolean;
  /** Whether it omits the declared collections. */
  readonly withoutCollections?: boolean;
}

/** The first rows of each collection become examples. */
export function describe({ catalogue, rows }: CatalogueWithRows): Described {
  return { catalogue: served(catalogue), rows, version: manifest.version, license: manifest.license };
}
