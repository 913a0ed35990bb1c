/** `catalogue declare`: writes the declaration of existing tables, or prints the format of declarations. */

import { USUAL_NAMES } from '../declare/declaration-file.ts';
import { DATA_SETTINGS } from '../settings/by-command.ts';
import { option } from '../settings/setting.ts';
import { checkDeclaration, declareFrom } from './declare/from-database.ts';
import { defineCommand, FORCE_OPTION } from './shared/command.ts';

const OPTIONS = {
  output: option('--output FILE: file to write; - is standard output', USUAL_NAMES[0]),
  ...FORCE_OPTION,
  check: option('--check: compare the file with the database and print the differences; exit code 1 if there are any'),
  functions: option('--functions: declare the functions of the schema; otherwise they are comments'),
  jsonSchema: option('--json-schema: print the JSON Schema of declarations, for completion and validation in editors'),
  ...DATA_SETTINGS,
} as const;

export const command = defineCommand({
  options: OPTIONS,
  operands: 1,
  usage: `Usage: catalogue declare [DATABASE] [flags]
       catalogue declare [DATABASE] --check [--output FILE]
       catalogue declare --json-schema

Writes a ${USUAL_NAMES[0]} for the tables of an existing database, and changes nothing there. DATABASE is the same as --database.
The service then serves PostgreSQL tables in place. For an SQLite file, catalogue copy copies its rows.

With --json-schema, prints the JSON Schema of the format. Save it beside the declaration, and name it there:

  catalogue declare --json-schema > collections.schema.json
  # yaml-language-server: $schema=collections.schema.json      (the first line of collections.yaml)
  "$schema": "collections.schema.json"                         (a key of collections.json)`,
  async run({ values, operands }) {
    const database = operands[0] ?? values.database;
    if (values.check) return checkDeclaration({ ...values, database });
    if (!values.jsonSchema) return declareFrom({ ...values, database });
    const { declarationSchema } = await import('../declare/format.ts');
    console.log(JSON.stringify(declarationSchema(), null, 2));
  },
});
