/** What the API's pages describe: a catalogue, and the version of the program that serves it. */
import manifest from '../../package.json' with { type: 'json' };
import type { BuiltIn } from '../collection/built-in.ts';
import type { Described } from './document.ts';

export function describe({ collection, rows }: BuiltIn): Described {
  return { collection, rows, version: manifest.version, license: manifest.license };
}
