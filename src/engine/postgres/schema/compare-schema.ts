/** Compares a schema with the declaration: our own tables and their content, and adopted tables. */
import { type Sentence, say } from '../../../base/sentence.ts';
import { type Catalogue, type Collection, declareCatalogue } from '../../../collection/declaration.ts';
import type { FieldDraft } from '../../../collection/draft.ts';
import { typeNamed } from '../../../collection/types/index.ts';
import { type Comparison, compare, withNumberedKeys } from '../../migration/changes.ts';
import type { FirstRows } from '../../migration/question.ts';
import { readRecord, recordOf, storedDraft } from '../../migration/record.ts';
import { notToCreate, type Problem } from '../../migration/risks.ts';
import { createStep, type RowCounts, sentencesOf } from '../../migration/words.ts';
import type { Creation } from '../../shared/loader.ts';
import { adoptionProblems } from '../adopt/adopt.ts';
import { ownSearchPath, type Runner } from '../driver.ts';
import { collectionsToLog, hasLog, inspectLog } from '../history/triggers.ts';
import { inspectWordIndexes, type WordIndexChanges, wordIndexSteps } from '../search/word-index.ts';
import { typeOfColumn } from './column-type.ts';
import type { FoundColumn, FoundOwn, FoundTable, FoundTables } from './inspect.ts';
import { inspectOwn, inspectTables, NONE_OWN, RETRY_TABLE, VERSION_TABLE } from './inspect.ts';
import { indexesOf } from './schema.ts';

export interface PostgresRequirement {
  readonly schema: string;
  readonly catalogue: Catalogue;
  readonly firstRows: FirstRows;
  /** Permitted data loss, in the syntax of `--allow`. */
  readonly allowed?: readonly string[];
  /** Whether `catalogue migrate` runs: then our own tables are created even if all collections are adopted. */
  readonly isMigration?: boolean;
  /** For missing tables; by default they are created at once. */
  readonly creation?: Creation;
  /** Whether every request runs as a role of the database, in a session. Then no table is ours. */
  readonly databaseRoles?: boolean;
  /** How long the log of changes is kept; 0 for no log. Undefined leaves it as it is; a new database has one. */
  readonly historyDays?: number | undefined;
}

/** A schema beside its declaration. */
export interface SchemaState extends FoundOwn {
  readonly tables: FoundTables;
  readonly adopted: readonly { readonly collection: Collection; readonly table: FoundTable }[];
  readonly problems: readonly Problem[];
  readonly comparison: Comparison;
  /** Objects to create besides the collections. */
  readonly missing: readonly Sentence[];
  readonly wordIndexes: WordIndexChanges;
  readonly newRecord: string;
  /** The collections to log, and whether these are logged, and no others. */
  readonly logged: readonly Collection[];
  readonly isLogInPlace: boolean;
}

export async function inspectSchema(runner: Runner, requirement: PostgresRequirement): Promise<SchemaState> {
  const { schema, catalogue, isMigration = false } = requirement;
  await runner.unsafe(`set local search_path to ${ownSearchPath(schema)}`);
  const ours = requirement.databaseRoles === true ? NONE_OWN : await inspectOwn(runner, schema);
  const { version, record } = ours;
  const recorded = record === null && version === null ? [] : readRecord(record ?? undefined);
  const declared = [...catalogue.collections.values()];
  const wanted = [...recorded, ...declared].map(({ name }) => name);
  const tables = await inspectTables(runner, schema, wanted);
  // Other tables are adopted.
  const own = declared.filter(({ name }) => recorded.some((draft) => draft.name === name) || !tables.has(name));
  const adopted = declared
    .filter((collection) => !own.includes(collection))
    .map((collection) => ({ collection, table: tables.get(collection.name)! }));
  const drafts = recorded.filter(({ name }) => tables.has(name));
  const there = new Set(drafts.map(({ name }) => name));
  const problems: Problem[] = [];
  const collections = drafts.map((draft) => {
    const { columns } = tables.get(draft.name)!;
    return storedDraft(draft, columns, there, catalogue.collections.get(draft.name), (column, field) => {
      const type = typeOfField(column, field);
      if (type === undefined)
        problems.push(say`${`${draft.name}.${field.name}`} is ${column.type} now, not ${field.type}`);
      return type ?? field.type;
    });
  });
  const found = {
    catalogue: withNumberedKeys(declareCatalogue({ collections }), (table, key) =>
      tables.get(table)!.columns.some(({ name, identity }) => name === key.name && identity !== null),
    ),
    names: new Set(
      [...there].flatMap((table) => {
        const { constraints, indexes } = tables.get(table)!;
        return [...constraints, ...indexes].map(({ name }) => `${table}.${name}`);
      }),
    ),
  };
  const log = await inspectLog(runner, schema);
  const comparison = compare({ catalogue, own, indexesOf }, found);
  const wordIndexes = await inspectWordIndexes(runner, schema, catalogue, comparison.changes);
  const isNew = version === null && adopted.length === 0;
  const logged = collectionsToLog(own, adopted, log, requirement.historyDays, isNew);
  const isOurs = version !== null || own.length > 0 || isMigration;
  const missing = [
    ...(ours.schemaExists ? [] : [say`create schema ${schema}`]),
    ...(ours.hasRetries ? [] : [createStep({ name: RETRY_TABLE })]),
    ...(version === null ? [createStep({ name: VERSION_TABLE })] : []),
  ];
  return {
    ...ours,
    tables,
    adopted,
    problems: [
      ...problems,
      ...notToCreate(own),
      ...adopted.flatMap(({ collection, table }) => adoptionProblems(collection, table)),
    ],
    comparison,
    missing: [...(isOurs ? missing : []), ...wordIndexSteps(wordIndexes)],
    wordIndexes,
    newRecord: isOurs ? recordOf(own) : (record ?? ''),
    logged,
    isLogInPlace: hasLog(log, schema, logged),
  };
}

/** Checks the schema again with the lock: without it, a schema that another instance is creating may seem wrong. */
export function isInPlace({ record, newRecord, missing, comparison, problems, isLogInPlace }: SchemaState): boolean {
  const isRecorded = isLogInPlace && newRecord === (record ?? '');
  return isRecorded && [missing, comparison.changes, problems].every(({ length }) => length === 0);
}

export function sentencesIn({ comparison, missing }: SchemaState, counts?: RowCounts): Sentence[] {
  return [...missing, ...sentencesOf(comparison, counts)];
}

export const stepsIn = (found: SchemaState, counts?: RowCounts): string[] => sentencesIn(found, counts).map(String);

/** Undefined if we have no such type. */
function typeOfField({ type }: FoundColumn, field: FieldDraft): string | undefined {
  // PostgreSQL does not record the digits of an array's elements.
  const isDecimals = type === 'numeric[]' && /^decimal\(.*\)\[\]$/.test(field.type);
  const isSame = isDecimals || type === field.type || type === typeNamed(field.type)?.postgres.name;
  return isSame ? field.type : typeOfColumn(type)?.type.name;
}
