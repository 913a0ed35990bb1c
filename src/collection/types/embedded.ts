/** What a reference brings: rows of another collection as the JSON text that the database made. No field is one. */
import { defineType, itself } from './type.ts';

export const embedded = defineType({
  name: 'embedded',
  title: 'json',
  read: () => {
    throw new Error('an embedded row is read, and never written or compared');
  },
  json: String,
  // In CSV it is printed as jsonb, which is what PostgREST shows.
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
