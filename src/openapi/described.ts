/** The input of the API's descriptions: a catalogue and the version of the program. */
import manifest from '../../package.json' with { type: 'json' };
import type { Begun } from '../collection/built-in.ts';

export interface Described extends Begun {
  readonly version: string;
  /** The licence of the service, as SPDX names it. */
  readonly license: string;
  /** Whether the description is that of a collection alone. */
  readonly withoutService?: boolean;
}

/** The first of its rows are the examples. */
export function describe({ catalogue, rows }: Begun): Described {
  return { catalogue, rows, version: manifest.version, license: manifest.license };
}
