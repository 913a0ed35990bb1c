/** The JSON Schema of declarations, with which editors complete and check them. It is made from the tables that the reader uses. */
import { FORMAT } from './format.ts';
import type { JsonSchema } from './shape.ts';

export function declarationSchema(): JsonSchema {
  return {
    // The draft that editors' YAML support reads.
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Collections of a catalogue',
    ...FORMAT.schema(),
  };
}
