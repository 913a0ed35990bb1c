/** `catalogue types`: prints TypeScript types of the catalogue for its clients. */

import { served } from '../collection/files.ts';
import { loadCatalogue } from '../declare/load-catalogue.ts';
import { typeScriptTypes } from '../openapi/types.ts';
import { DATABASE_SETTINGS } from '../settings/database.ts';
import { defineCommand, printDocument } from './shared/command.ts';

/** The suggested name. */
const FILE = 'database.ts';

export const command = defineCommand({
  options: { collections: DATABASE_SETTINGS.collections, schema: DATABASE_SETTINGS.schema },
  usage: `Usage: catalogue types [flags]

Prints TypeScript types for clients: save them as ${FILE}, and then

  import { PostgrestClient } from '@supabase/postgrest-js';
  import type { Database } from './${FILE}';
  const client = new PostgrestClient<Database>('http://127.0.0.1:3000');`,
  async run({ values: { collections, schema } }) {
    const { catalogue } = await loadCatalogue(collections);
    printDocument(typeScriptTypes(served(catalogue), schema).trimEnd());
  },
});
