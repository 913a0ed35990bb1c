/** The JSON Schema of declarations for editors, generated from the reader's tables. */
import { FORMAT } from './format.ts';
import type { JsonSchema } from './reader/shape.ts';

export function declarationSchema(): JsonSchema {
  return {
    // The draft that YAML editors support.
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Collections of a catalogue',
    ...FORMAT.schema(),
  };
}
