/** Writes the declaration of existing tables to a file. */
import { DeclarationError } from '../../declare/reader/mistakes.ts';
import { databaseFiles, describeDatabase } from '../../engine/open.ts';
import type { DescribedDatabase } from '../../engine/shared/describe-table.ts';
import { ConfigError, type DatabaseSettings } from '../../settings/by-command.ts';
import { checkOutput, openOutput, STANDARD_OUTPUT } from '../shared/output.ts';
import { differencesIn } from './check.ts';

interface DeclareOptions extends DatabaseSettings {
  readonly database: string;
  /** `-` is standard output. */
  readonly output: string;
  readonly force: boolean;
  /** Whether to declare functions; otherwise they are comments. */
  readonly functions: boolean;
}

/** Resolves to the exit code. */
export async function declareFrom(options: DeclareOptions): Promise<number> {
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
export async function checkDeclaration(options: Omit<DeclareOptions, 'force'>): Promise<number> {
  const { readDeclaration } = await import('../../declare/read.ts');
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
  const { parseDeclaration } = await import('../../declare/read.ts');
  try {
    await parseDeclaration(text, file);
    return undefined;
  } catch (error) {
    if (error instanceof DeclarationError) return error.message;
    throw error;
  }
}

async function print(
  { location, collections, functions = [], leftOut }: DescribedDatabase,
  withFunctions: boolean,
): Promise<string> {
  const { comment, printCollection, printFunctions } = await import('../../declare/writer/write.ts');
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
