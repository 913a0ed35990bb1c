/** `catalogue types`: prints TypeScript types of the catalogue for its clients. */
import { products } from '../collection/products.ts';
import { readSettings } from '../config.ts';
import { typeScriptTypes } from '../openapi/types.ts';
import type { Command } from './command.ts';

export const types: Command = {
  name: 'types',
  summary: 'print TypeScript types for clients',
  help: () => `Usage: catalogue types

Prints TypeScript types for clients: save them as database.ts, and then

  import { PostgrestClient } from '@supabase/postgrest-js';
  import type { Database } from './database.ts';
  const client = new PostgrestClient<Database>('http://127.0.0.1:3000');`,

  async run(args, env) {
    readSettings({}, args, env);
    console.log(typeScriptTypes(products).trimEnd());
  },
};
