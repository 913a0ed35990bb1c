/** `catalogue declare`: writes the declaration of existing tables, or prints the format of declarations. */

import { onError } from '../base/errors.ts';
import { USUAL_NAMES } from '../declare/declaration-file.ts';
import { DeclarationError } from '../declare/reader/mistakes.ts';
import { databaseFiles, describeDatabase } from '../engine/open.ts';
import type { DescribedDatabase } from '../engine/shared/describe-table.ts';
import { ConfigError, DATA_SETTINGS, type Values } from '../settings/by-command.ts';
import { option } from '../settings/setting.ts';
import { differencesIn } from './declare/check.ts';
import { checkOutput, defineCommand, FORCE_OPTION, openOutput, STANDARD_OUTPUT } from './shared/command.ts';

const OPTIONS = {
  output: option<string>('--output FILE: file to write; - is standard output', USUAL_NAMES[0]),
  ...FORCE_OPTION,
  check: option('--check: compare the file with the database and print the differences; exit code 1 if there are any'),
  functions: option('--functions: declare the functions of the schema; otherwise they are comments'),
  jsonSchema: option('--json-schema: print the JSON Schema of declarations, for completion and validation in editors'),
  ...DATA_SETTINGS,
} as const;

type Settings = Values<typeof OPTIONS>;

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

/** Resolves to the exit code. */
async function declareFrom(options: Settings): Promise<number> {
  const { database, output, force } = options;
  const prints = output === STANDARD_OUTPUT;
  const writing = { replace: force, protectedFiles: databaseFiles(database) };
  checkOutput(output, writing);
  const described = await describeDatabase(database, options);
  const { collections, leftOut, location, warning } = described;
  if (collections.length === 0) {
    const reasons = leftOut.length === 0 ? '' : `: ${leftOut.join('; ')}`;
    throw new ConfigError(`${location} has no table that can be a collection${reasons}`);
  }
  const text = await print(described, options.functions);
  const mistakes = await mistakesIn(text, output);
  const file = openOutput(output, writing);
  file.write(text);
  file.end();
  for (const each of leftOut) process.stderr.write(`left out ${each}\n`);
  if (warning !== undefined) process.stderr.write(`warning: ${warning}\n`);
  if (!prints) console.log(`Wrote ${output}: ${collections.map(({ draft }) => draft.name).join(', ')}`);
  if (mistakes !== undefined) process.stderr.write(`Repair it by hand: ${mistakes}\n`);
  return mistakes === undefined ? 0 : 1;
}

/** Compares a file with the database. Resolves to the exit code: 1 if they differ. */
async function checkDeclaration(options: Settings): Promise<number> {
  const { readDeclaration } = await import('../declare/read.ts');
  const { output: file, database } = options;
  const declared = await readDeclaration(file);
  const described = await describeDatabase(database, options);
  const differences = differencesIn(file, declared, described);
  for (const each of differences) console.log(each);
  for (const each of described.leftOut) process.stderr.write(`left out ${each}\n`);
  if (differences.length === 0) console.log(`${file} matches ${described.location}`);
  return differences.length === 0 ? 0 : 1;
}

/** Validates the written declaration, so that a mistake is found now. */
async function mistakesIn(text: string, file: string): Promise<string | undefined> {
  const { parseDeclaration } = await import('../declare/read.ts');
  return onError(
    DeclarationError,
    () => void parseDeclaration(text, file),
    ({ message }) => message,
  );
}

async function print(
  { location, collections, functions = [], leftOut }: DescribedDatabase,
  withFunctions: boolean,
): Promise<string> {
  const { comment, printCollection, printFunctions } = await import('../declare/writer/write.ts');
  const called = functions.length === 0 ? [] : ['functions:', ...printFunctions(functions)];
  return [
    comment(`The tables of ${location}, written by catalogue declare.`),
    ...(leftOut.length === 0 ? [] : ['# Left out:', ...leftOut.map(comment)]),
    'collections:',
    ...collections.map(({ draft, ...notes }) => printCollection(draft, notes)),
    ...(withFunctions ? called : called.map((line) => `# ${line}`)),
    '',
  ].join('\n');
}
