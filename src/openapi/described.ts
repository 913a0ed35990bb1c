/** What the API's pages describe: a catalogue, and the version of the program that serves it. */
import manifest from '../../package.json' with { type: 'json' };
import type { Begun } from '../collection/built-in.ts';
import type { Described } from './document.ts';

export function describe({ catalogue, rows }: Begun): Described {
  const [collection] = catalogue.collections.values();
  return {
    collection: collection!,
    rows: rows(collection!.name),
    version: manifest.version,
    license: manifest.license,
  };
}
