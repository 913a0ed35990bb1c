/** `catalogue types`: prints TypeScript types of the catalogue for its clients. */

import { loadCatalogue } from '../declare/load-catalogue.ts';
import { typeScriptTypes } from '../openapi/types.ts';
import { describeSettings, readSettings } from '../settings/by-command.ts';
import { COLLECTIONS } from '../settings/collections.ts';
import type { Command } from './shared/command.ts';
import { printDocument } from './shared/output.ts';

const SETTINGS = { collections: COLLECTIONS } as const;

export const command: Command = {
  help: () => `Usage: catalogue types [flags]

Prints TypeScript types for clients: save them as database.ts, and then

  import { PostgrestClient } from '@supabase/postgrest-js';
  import type { Database } from './shared/database.ts';
  const client = new PostgrestClient<Database>('http://127.0.0.1:3000');

${describeSettings(SETTINGS)}`,

  async run(args, env) {
    const { collections } = readSettings(SETTINGS, args, env);
    const { catalogue } = await loadCatalogue(collections);
    printDocument(typeScriptTypes(catalogue).trimEnd());
  },
};
