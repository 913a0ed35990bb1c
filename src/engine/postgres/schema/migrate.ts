/**
 * Migrates a schema to the declaration in one transaction under an advisory lock: several instances may start at once,
 * and a kill leaves nothing half done. Only indexes on existing tables follow afterwards (late-indexes.ts). Without
 * changes only reads are needed, so a role without DDL rights can serve.
 */
import type { SQL } from 'bun';
import { MIGRATION_LOCK_MS, MIGRATION_WAIT_SECONDS } from '../../../base/limits/engine.ts';
import { say } from '../../../base/sentence.ts';
import type { Collection } from '../../../collection/declaration.ts';
import { ConfigError } from '../../../settings/by-command.ts';
import { blockingChanges, type Comparison } from '../../migration/changes.ts';
import { RECORD_TABLE } from '../../migration/record.ts';
import {
  cannotCompute,
  createStep,
  indexStepsOf,
  type MigrationPlan,
  MigrationRejected,
  notMigrated,
  type RowCounts,
  recomputedTables,
  stepsOf,
  waitNotices,
} from '../../migration/words.ts';
import { identifier } from '../../sql/statement.ts';
import { type Adopted, adopt, adoptionProblems } from '../adopt/adopt.ts';
import { ADVISORY_LOCKS, type Notice, type Runner, WAITING_FOR_A_CLIENT, within } from '../driver.ts';
import { isTransient, sqlState } from '../errors.ts';
import { applyLog } from '../history/triggers.ts';
import { createWordIndexes, dropWordIndexes } from '../search/word-index.ts';
import { applyChanges, lockTables } from './apply-changes.ts';
import {
  inspectSchema,
  isInPlace,
  type PostgresRequirement,
  type SchemaState,
  sentencesIn,
  stepsIn,
} from './compare-schema.ts';
import { problemsIn } from './conversion.ts';
import { checkServer, RETRY_TABLE, SCHEMA_VERSION, VERSION_TABLE } from './inspect.ts';
import { hasLate, makeIndexes, withoutLate } from './late-indexes.ts';
import { RETRY_TABLE_SQL, VERSION_TABLE_SQL } from './schema.ts';

const INSPECTION_MS = 30_000;
const SNAPSHOT = 'isolation level repeatable read read only';
const UNDEFINED_TABLE = '42P01';

export interface Prepared {
  /** The sequences of assigned keys, quoted, by collection. */
  readonly sequences: ReadonlyMap<string, string>;
  readonly adopted: Adopted;
  readonly logged: ReadonlySet<string>;
  readonly hasRetries: boolean;
  /** Whether the tables exist; false if a load will create them. */
  readonly hasTables: boolean;
  /** The steps that were done, or are left to a load; empty without changes. */
  readonly steps: readonly string[];
}

export async function prepareSchema(pool: SQL, requirement: PostgresRequirement, notice: Notice): Promise<Prepared> {
  const inspection = checkServer(pool).then(() => inspectSnapshot(pool, requirement));
  const first = rejectNewer(await within(INSPECTION_MS, inspection), requirement);
  if (isInPlace(first)) return prepared(first, requirement, []);
  const { creation = 'at once', schema } = requirement;
  const missing = [...requirement.catalogue.collections.keys()].filter((name) => !first.tables.has(name));
  if (missing.length > 0 && (creation === 'by a load' || creation === 'dry run')) {
    return { ...prepared(first, requirement, stepsIn(first)), hasTables: false };
  }
  if (missing.length > 0 && creation === 'never') {
    throw new ConfigError(
      `table ${missing.join(', ')} does not exist in the schema ${schema}; create it with catalogue migrate, or choose a different database with --database or --schema`,
    );
  }
  if (creation === 'never' || creation === 'dry run') {
    const needed = [...stepsOf(blockingChanges(first.comparison)), ...first.problems.map(({ words }) => words)];
    if (needed.length > 0) throw notMigrated(`the schema ${schema}`, needed);
    return prepared(first, requirement, []);
  }
  try {
    const work = () => pool.begin((transaction) => makeTables(transaction, requirement, notice));
    const made = await retryWhileInUse(requirement, notice, work);
    if (!hasLate(first.comparison)) return made;
    // If another instance migrated meanwhile, it also creates them.
    if (made.steps.length === 0 && stepsIn(withoutIndexes(first)).length > 0) return made;
    const compareAgain = async (runner: Runner) => (await inspectSchema(runner, requirement)).comparison;
    const changes = await makeIndexes(pool, schema, compareAgain, notice);
    return { ...made, steps: [...made.steps, ...stepsOf({ ...first.comparison, changes })] };
  } catch (error) {
    // Indexes and the record are optional; anything else is required.
    if (!(error instanceof NoRights) || error.isNeeded || first.problems.length > 0) throw error;
    return prepared(first, requirement, []);
  }
}

class NoRights extends ConfigError {
  readonly isNeeded: boolean;

  constructor(needed: readonly string[], schema: string, reason: string) {
    super(
      `the schema ${schema} is not up to date (${needed.join(', ')}), and this role may not change it: ${reason}. Run catalogue migrate with a role that may`,
    );
    this.isNeeded = needed.length > 0;
  }
}

/**
 * After a lost connection: nothing is migrated while serving. Another instance may have migrated meanwhile; additions
 * and relaxed constraints are accepted.
 */
export async function schemaAgain(pool: SQL, requirement: PostgresRequirement, notice: Notice): Promise<Prepared> {
  await checkServer(pool);
  const found = await inspectSnapshot(pool, requirement);
  const newer = newerVersion(found, requirement);
  if (newer) notice('warn', `${newer}: this older version continues to serve; replace it by the newer one`);
  const missing = stepsOf(blockingChanges(found.comparison));
  const problems = found.problems.map(({ words }) => words);
  const change = `the schema ${requirement.schema} is no longer as declared (${[...missing, ...problems].join(', ')})`;
  const ofOthers = found.adopted.flatMap(({ collection, table }) => adoptionProblems(collection, table));
  if (missing.length > 0 || problems.length > ofOthers.length) {
    throw new ConfigError(`${change}: start the service again with its declaration`);
  }
  // Requests to the other tables, and for the other columns, still work.
  if (problems.length > 0) notice('warn', `${change}: change the declaration, and start the service again`);
  return prepared(found, requirement, []);
}

/**
 * Inspects one snapshot, since another instance may be migrating. Server functions that look up names see the newest
 * state anyway, and fail on a table that was just renamed: then it retries.
 */
async function inspectSnapshot(pool: SQL, requirement: PostgresRequirement): Promise<SchemaState> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await pool.begin(SNAPSHOT, (transaction) => inspectSchema(transaction, requirement));
    } catch (error) {
      if (sqlState(error) !== UNDEFINED_TABLE || attempt === 5) throw error;
      await Bun.sleep(100);
    }
  }
}

/** The steps and obstacles, from one snapshot and without changes. `indexSteps` are the steps that create indexes. */
export async function planSchema(
  pool: SQL,
  requirement: PostgresRequirement,
): Promise<MigrationPlan & { readonly indexSteps: readonly string[] }> {
  await checkServer(pool);
  return pool.begin(SNAPSHOT, async (transaction) => {
    await transaction.unsafe('set local statement_timeout = 0');
    const found = rejectNewer(await inspectSchema(transaction, requirement), requirement);
    const problems = await problemsOf(transaction, requirement, found);
    const counts = await countRows(transaction, found.comparison);
    return {
      steps: stepsIn(found, counts),
      sentences: sentencesIn(found, counts),
      indexSteps: indexStepsOf(found.comparison),
      problems,
    };
  });
}

/** A computed field of a stored row does not fit its type. */
const VALUE_ERROR = /^22/;

async function problemsOf(transaction: Runner, requirement: PostgresRequirement, found: SchemaState) {
  try {
    return await problemsIn(transaction, requirement, found);
  } catch (error) {
    const isOfValue = VALUE_ERROR.test(sqlState(error) ?? '');
    throw isOfValue ? cannotCompute(say`the schema ${requirement.schema}`, (error as Error).message) : error;
  }
}

async function countRows(transaction: Runner, comparison: Comparison): Promise<RowCounts> {
  const counts = new Map<string, number>();
  for (const [name, table] of recomputedTables(comparison)) {
    const [row] = await transaction.unsafe<{ count: string }[]>(
      `select count(*)::text as count from ${identifier(table)}`,
    );
    counts.set(name, Number(row!.count));
  }
  return counts;
}

function newerVersion({ version }: SchemaState, { schema }: PostgresRequirement): string | undefined {
  return (version ?? 0) > SCHEMA_VERSION
    ? `the schema ${schema} was written by a newer version of this program`
    : undefined;
}

function rejectNewer(found: SchemaState, requirement: PostgresRequirement): SchemaState {
  const newer = newerVersion(found, requirement);
  if (newer !== undefined) throw new ConfigError(newer);
  return found;
}

function withoutIndexes(found: SchemaState): SchemaState {
  return { ...found, comparison: withoutLate(found.comparison) };
}

function prepared(found: SchemaState, { catalogue }: PostgresRequirement, steps: readonly string[]): Prepared {
  const { tables, adopted, hasRetries, logged, isLogInPlace } = found;
  const sequenceOf = ({ name, assigned }: Collection): [string, string][] => {
    const column = tables.get(name)?.columns.find((each) => each.name === assigned?.name);
    return column?.sequence == null ? [] : [[name, column.sequence]];
  };
  return {
    sequences: new Map([...catalogue.collections.values()].flatMap(sequenceOf)),
    adopted: adopt(adopted),
    logged: new Set(isLogInPlace ? logged.map(({ name }) => name) : []),
    hasRetries,
    hasTables: true,
    steps,
  };
}

/** Creates missing tables in the current transaction, under the lock: another instance may create them. */
export async function makeTables(
  transaction: Runner,
  requirement: PostgresRequirement,
  notice: Notice = () => {},
): Promise<Prepared> {
  const run = (sql: string) => transaction.unsafe(sql);
  await run('set local statement_timeout = 0');
  // Initial rows may be many and are prepared here.
  await run(WAITING_FOR_A_CLIENT);
  // Waits for another migrating instance, but not for clients' locks: all others would queue behind it.
  await run(`select pg_advisory_xact_lock(${ADVISORY_LOCKS.migration})`);
  await run(`set local lock_timeout = ${MIGRATION_LOCK_MS}`);
  const found = withoutIndexes(rejectNewer(await inspectSchema(transaction, requirement), requirement));
  const { comparison } = found;
  if (isInPlace(found)) return prepared(found, requirement, []);
  const counts = await countRows(transaction, comparison);
  const steps = stepsIn(found, counts);
  const problems = await problemsOf(transaction, requirement, found);
  if (problems.length > 0) {
    throw new MigrationRejected(`the schema ${requirement.schema}`, requirement.catalogue, { steps, problems });
  }
  try {
    await lockTables(run, comparison);
    for (const each of waitNotices(counts)) notice('warn', each);
    if (!found.schemaExists) await run(`create schema ${identifier(requirement.schema)}`);
    if (steps.includes(String(createStep({ name: RETRY_TABLE })))) for (const sql of RETRY_TABLE_SQL) await run(sql);
    if (steps.includes(String(createStep({ name: VERSION_TABLE }))))
      for (const sql of VERSION_TABLE_SQL) await run(sql);
    // The triggers of an index depend on columns.
    await dropWordIndexes(transaction, requirement.schema, found.wordIndexes);
    await applyChanges(transaction, requirement, comparison);
    await applyLog(transaction, requirement.schema, found.logged, comparison, requirement.historyDays);
    await createWordIndexes(transaction, requirement.schema, found.wordIndexes);
    if (found.newRecord !== (found.record ?? '')) await storeRecord(transaction, found.newRecord);
  } catch (error) {
    if (VALUE_ERROR.test(sqlState(error) ?? ''))
      throw cannotCompute(say`the schema ${requirement.schema}`, (error as Error).message);
    if (sqlState(error) !== '42501') throw error;
    const indexSteps = indexStepsOf(comparison);
    const needed = steps.filter((step) => !indexSteps.includes(step));
    throw new NoRights(needed, requirement.schema, (error as Error).message);
  }
  return prepared(await inspectSchema(transaction, requirement), requirement, steps);
}

async function storeRecord(runner: Runner, record: string): Promise<void> {
  await runner.unsafe(`create table if not exists ${RECORD_TABLE} (declaration text not null)`);
  await runner.unsafe(`delete from ${RECORD_TABLE}`);
  await runner.unsafe(`insert into ${RECORD_TABLE} (declaration) values ($1::text)`, [record]);
}

/** Waits for locks of clients in short turns, so that theirs do not queue behind ours. */
async function retryWhileInUse<T>({ schema }: PostgresRequirement, notice: Notice, work: () => Promise<T>): Promise<T> {
  const until = performance.now() + MIGRATION_WAIT_SECONDS * 1_000;
  const [most, atOnce] = [`${MIGRATION_WAIT_SECONDS} s`, `${MIGRATION_LOCK_MS / 1000} s`];
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) && sqlState(error) !== '55P03') throw error;
      const { message } = error as Error;
      const inUse = `the tables of the schema ${schema} are in use`;
      if (performance.now() > until) {
        throw new ConfigError(`${inUse}, and could not be changed within ${most}: ${message}; nothing was changed`);
      }
      const words = `the migration tries again for up to ${most}, and keeps others waiting for ${atOnce} at a time`;
      if (attempt === 1) notice('warn', `${inUse} (${message}): ${words}`);
      await Bun.sleep(MIGRATION_LOCK_MS * Math.random() * Math.min(4, attempt));
    }
  }
}
