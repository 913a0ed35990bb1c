/** The value of an embedding: rows of another collection as JSON text from the database. It is not a field type. */
import { defineType, itself } from './type.ts';

export const embedded = defineType({
  name: 'embedded',
  title: 'json',
  read: () => {
    throw new Error('an embedded row is read, and never written or compared');
  },
  json: String,
  // CSV shows it as jsonb, as PostgREST does.
  sqlite: { column: 'text', json: itself, text: (sql) => `json_printed(${sql})` },
  postgres: {
    name: 'json',
    collated: true,
    json: (sql) => `(${sql})::json`,
    text: (sql) => `(${sql})::jsonb::text`,
  },
  schema: {},
  typescript: 'unknown',
  input: 'json',
});
