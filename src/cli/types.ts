/** `catalogue types`: prints TypeScript types of the catalogue for its clients. */
import { describeSettings, readSettings } from '../config.ts';
import { begin } from '../declare/begin.ts';
import { typeScriptTypes } from '../openapi/types.ts';
import { COLLECTIONS } from '../settings/collections.ts';
import type { Command } from './command.ts';
import { printDocument } from './output.ts';

const SETTINGS = { collections: COLLECTIONS } as const;

export const command: Command = {
  help: () => `Usage: catalogue types [flags]

Prints TypeScript types for clients: save them as database.ts, and then

  import { PostgrestClient } from '@supabase/postgrest-js';
  import type { Database } from './database.ts';
  const client = new PostgrestClient<Database>('http://127.0.0.1:3000');

${describeSettings(SETTINGS)}`,

  async run(args, env) {
    const { collections } = readSettings(SETTINGS, args, env);
    const { catalogue } = await begin(collections);
    printDocument(typeScriptTypes(catalogue).trimEnd());
  },
};
