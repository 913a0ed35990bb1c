/**
 * Migrates a schema to the declaration in one transaction under an advisory lock: several instances may start at once,
 * and a kill leaves nothing half done. Only indexes on existing tables follow afterwards (late-indexes.ts). Without
 * changes only reads are needed, so a role without DDL rights can serve.
 */
import type { SQL } from 'bun';
import { MIGRATION_LOCK_MS, MIGRATION_WAIT_SECONDS } from '../../../base/limits/engine.ts';
import type { Collection } from '../../../collection/declaration.ts';
import { ConfigError } from '../../../settings/by-command.ts';
import { blockingChanges, type Comparison, compare } from '../../migration/changes.ts';
import type { Question } from '../../migration/question.ts';
import { questionSql } from '../../migration/question-sql.ts';
import { RECORD_TABLE, recordOf } from '../../migration/record.ts';
import { assess, type Problem } from '../../migration/risks.ts';
import { blockedBy, type MigrationPlan, MigrationRejected, stepsOf } from '../../migration/words.ts';
import { identifier } from '../../sql/statement.ts';
import { type Adopted, adopt } from '../adopt/adopt.ts';
import { ADVISORY_LOCKS } from '../advisory-locks.ts';
import { query, type Runner, WAITING_FOR_A_CLIENT, within } from '../driver.ts';
import { isTransient, sqlState } from '../errors.ts';
import type { Notice } from '../notice.ts';
import { applyChanges, lockTables } from './apply-changes.ts';
import { type Inspection, inspect, type PostgresRequirement } from './compare-schema.ts';
import { countUnreadable, postgresValues } from './conversion.ts';
import { RETRY_TABLE, SCHEMA_VERSION, VERSION_TABLE } from './inspect.ts';
import { makeIndexes, withoutLate } from './late-indexes.ts';
import { indexesOf, RETRY_TABLE_SQL, VERSION_TABLE_SQL } from './schema.ts';

/** The time limit for inspecting a schema at start. */
const INSPECTION_MS = 30_000;
const SNAPSHOT = 'isolation level repeatable read read only';
const UNDEFINED_TABLE = '42P01';
const MAX_ATTEMPTS = 5;
const PAUSE_MS = 100;
/** PostgreSQL 14. */
const OLDEST_SERVER = 140_000;

export interface Prepared {
  /** The sequences of assigned keys, quoted, by collection. */
  readonly sequences: ReadonlyMap<string, string>;
  readonly adopted: Adopted;
  /** Whether the table for idempotency keys exists. */
  readonly hasRetries: boolean;
  /** Whether the tables exist; false if a load will create them. */
  readonly hasTables: boolean;
  /** The steps that were done, or are left to a load; empty without changes. */
  readonly steps: readonly string[];
}

interface SchemaState {
  readonly inspection: Inspection;
  readonly comparison: Comparison;
  /** Objects to create besides the collections. */
  readonly ours: readonly string[];
  readonly record: string;
}

export async function prepareSchema(pool: SQL, requirement: PostgresRequirement, notice: Notice): Promise<Prepared> {
  const first = await within(
    INSPECTION_MS,
    checkServer(pool).then(() => inspectSnapshot(pool, requirement)),
  );
  if (isInPlace(first)) return prepared(first, requirement, []);
  const { creation = 'at once', schema } = requirement;
  const missing = [...requirement.catalogue.collections.keys()].filter((name) => !first.inspection.tables.has(name));
  if (missing.length > 0 && creation === 'by a load') {
    return { ...prepared(first, requirement, stepsIn(first)), hasTables: false };
  }
  if (missing.length > 0 && creation === 'never') {
    throw new ConfigError(
      `table ${missing.join(', ')} does not exist in the schema ${schema}; create it with catalogue migrate, or choose a different database with --database or --schema`,
    );
  }
  try {
    const work = () => pool.begin((transaction) => makeTables(transaction, requirement));
    const made = await retryWhileInUse(requirement, notice, work);
    // If another instance migrated meanwhile, it also creates them.
    if (made.steps.length === 0 && stepsIn(withoutIndexes(first)).length > 0) return made;
    const compareAgain = async (runner: Runner) => (await inspectSchema(runner, requirement)).comparison;
    const changes = await makeIndexes(pool, compareAgain, notice);
    return { ...made, steps: [...made.steps, ...stepsOf({ ...first.comparison, changes })] };
  } catch (error) {
    // Indexes and the record are optional; anything else is required.
    if (!(error instanceof NoRights) || error.isNeeded || first.inspection.problems.length > 0) throw error;
    return prepared(first, requirement, []);
  }
}

class NoRights extends ConfigError {
  readonly isNeeded: boolean;

  constructor(steps: readonly string[], schema: string, reason: string) {
    const needed = steps.filter((step) => !step.startsWith('index '));
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
  const found = await inspectSnapshot(pool, requirement, 'goes on');
  if ((found.inspection.version ?? 0) > SCHEMA_VERSION) {
    notice(
      'warn',
      `${newerVersion(requirement)}: this one goes on with what it knows; start the newer version in its place`,
    );
  }
  const missing = stepsOf(blockingChanges(found.comparison));
  const problems = found.inspection.problems.map(({ words }) => words);
  if (missing.length === 0 && problems.length === 0) return prepared(found, requirement, []);
  throw new ConfigError(
    `the schema ${requirement.schema} is no longer as declared (${[...missing, ...problems].join(', ')}): start the service again with its declaration`,
  );
}

/**
 * Inspects one snapshot, since another instance may be migrating. Server functions that look up names see the newest
 * state anyway, and fail on a table that was just renamed: then it retries.
 */
async function inspectSnapshot(
  pool: SQL,
  requirement: PostgresRequirement,
  whenNewer?: 'stops' | 'goes on',
): Promise<SchemaState> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await pool.begin(SNAPSHOT, (transaction) => inspectSchema(transaction, requirement, whenNewer));
    } catch (error) {
      if (sqlState(error) !== UNDEFINED_TABLE || attempt === MAX_ATTEMPTS) throw error;
      await Bun.sleep(PAUSE_MS);
    }
  }
}

/** The steps and obstacles, from one snapshot and without changes. */
export async function planSchema(pool: SQL, requirement: PostgresRequirement): Promise<MigrationPlan> {
  await checkServer(pool);
  return pool.begin(SNAPSHOT, async (transaction) => {
    await query(transaction, { sql: 'set local statement_timeout = 0', params: [] });
    const found = await inspectSchema(transaction, requirement);
    return { steps: stepsIn(found), problems: await problemsIn(transaction, requirement, found) };
  });
}

function newerVersion({ schema }: PostgresRequirement): string {
  return `the schema ${schema} was written by a newer version of this program`;
}

async function inspectSchema(
  runner: Runner,
  requirement: PostgresRequirement,
  whenNewer: 'stops' | 'goes on' = 'stops',
): Promise<SchemaState> {
  const { schema, catalogue, allowed } = requirement;
  const inspection = await inspect(runner, requirement);
  const { own, found, version, record, schemaExists, hasRetries } = inspection;
  if ((version ?? 0) > SCHEMA_VERSION && whenNewer === 'stops') throw new ConfigError(newerVersion(requirement));
  const isOurs = version !== null || own.length > 0 || allowed !== undefined;
  const ours = [
    ...(schemaExists ? [] : [`schema ${schema}`]),
    ...(hasRetries ? [] : [`table ${RETRY_TABLE}`]),
    ...(version === null ? [`table ${VERSION_TABLE}`] : []),
  ];
  return {
    inspection,
    comparison: compare({ catalogue, own, indexesOf }, found),
    ours: isOurs ? ours : [],
    record: isOurs ? recordOf(own) : (record ?? ''),
  };
}

/**
 * Without the lock, a schema that another instance is creating may seem wrong, so it is checked again with the lock.
 */
function isInPlace({ inspection, comparison, ours, record }: SchemaState): boolean {
  const isRecorded = record === (inspection.record ?? '');
  return isRecorded && ours.length === 0 && comparison.changes.length === 0 && inspection.problems.length === 0;
}

function withoutIndexes(found: SchemaState): SchemaState {
  return { ...found, comparison: withoutLate(found.comparison) };
}

function stepsIn({ comparison, ours }: SchemaState): string[] {
  return [...ours, ...stepsOf(comparison)];
}

function prepared({ inspection }: SchemaState, { catalogue }: PostgresRequirement, steps: readonly string[]): Prepared {
  const { tables, adopted, hasRetries } = inspection;
  const sequenceOf = ({ name, assigned }: Collection): [string, string][] => {
    const column = tables.get(name)?.columns.find((each) => each.name === assigned?.name);
    return column?.sequence == null ? [] : [[name, column.sequence]];
  };
  return {
    sequences: new Map([...catalogue.collections.values()].flatMap(sequenceOf)),
    adopted: adopt(adopted),
    hasRetries,
    hasTables: true,
    steps,
  };
}

/**
 * Creates missing tables in the current transaction. It inspects nothing before it has the lock, since later reads
 * would not see what another instance created meanwhile.
 */
export async function makeTables(transaction: Runner, requirement: PostgresRequirement): Promise<Prepared> {
  const run = (sql: string) => query(transaction, { sql, params: [] });
  await run('set local statement_timeout = 0');
  // Initial rows may be many and are prepared here.
  await run(WAITING_FOR_A_CLIENT);
  // Waits for another migrating instance, but not for clients' locks: all others would queue behind it.
  await run(`select pg_advisory_xact_lock(${ADVISORY_LOCKS.migration})`);
  await run(`set local lock_timeout = ${MIGRATION_LOCK_MS}`);
  const found = withoutIndexes(await inspectSchema(transaction, requirement));
  const { inspection, comparison, record, ours } = found;
  if (isInPlace(found)) return prepared(found, requirement, []);
  const steps = stepsIn(found);
  const problems = await problemsIn(transaction, requirement, found);
  if (problems.length > 0) {
    throw new MigrationRejected(`the schema ${requirement.schema}`, requirement.catalogue, { steps, problems });
  }
  try {
    await lockTables(run, comparison);
    if (!inspection.schemaExists) await run(`create schema ${identifier(requirement.schema)}`);
    if (ours.includes(`table ${RETRY_TABLE}`)) for (const sql of RETRY_TABLE_SQL) await run(sql);
    if (ours.includes(`table ${VERSION_TABLE}`)) for (const sql of VERSION_TABLE_SQL) await run(sql);
    await applyChanges(transaction, requirement, comparison);
    await storeRecord(transaction, record);
  } catch (error) {
    throw sqlState(error) === '42501' ? new NoRights(steps, requirement.schema, (error as Error).message) : error;
  }
  return prepared(await inspectSchema(transaction, requirement), requirement, steps);
}

async function problemsIn(
  runner: Runner,
  requirement: PostgresRequirement,
  found: SchemaState,
): Promise<readonly Problem[]> {
  const { problems } = found.inspection;
  // Questions about a table that does not match could fail.
  if (problems.length > 0) return problems;
  const assessment = assess(found.comparison, requirement.firstRows);
  let asked = assessment.next();
  while (asked.done !== true) asked = assessment.next(await answer(runner, asked.value));
  return blockedBy(asked.value, requirement.allowed ?? []);
}

async function answer(runner: Runner, question: Question): Promise<number> {
  if (question.kind === 'unreadable') return countUnreadable(runner, question.table, question.of);
  const sql = questionSql(question, postgresValues);
  if (sql === undefined) return 0;
  const [row] = await query<{ count: string }>(runner, { sql: `select (${sql})::text as count`, params: [] });
  return Number(row!.count);
}

async function storeRecord(runner: Runner, record: string): Promise<void> {
  await query(runner, { sql: `create table if not exists ${RECORD_TABLE} (declaration text not null)`, params: [] });
  await query(runner, { sql: `delete from ${RECORD_TABLE}`, params: [] });
  await query(runner, { sql: `insert into ${RECORD_TABLE} (declaration) values ($1::text)`, params: [record] });
}

/** Waits for locks of clients in short turns, so that theirs do not queue behind ours. */
async function retryWhileInUse<T>({ schema }: PostgresRequirement, notice: Notice, work: () => Promise<T>): Promise<T> {
  const until = performance.now() + MIGRATION_WAIT_SECONDS * 1_000;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) && sqlState(error) !== '55P03') throw error;
      if (performance.now() > until) {
        throw new ConfigError(
          `the tables of the schema ${schema} are in use, and could not be changed within ${MIGRATION_WAIT_SECONDS} s: ${(error as Error).message}; nothing was changed`,
        );
      }
      if (attempt === 1) {
        notice(
          'warn',
          `the tables of the schema ${schema} are in use (${(error as Error).message}): the migration tries again for up to ${MIGRATION_WAIT_SECONDS} s, and keeps others waiting for ${MIGRATION_LOCK_MS / 1000} s at a time`,
        );
      }
      await Bun.sleep(MIGRATION_LOCK_MS * Math.random() * Math.min(4, attempt));
    }
  }
}

async function checkServer(pool: Runner): Promise<void> {
  const sql = `select current_setting('server_version_num')::int4 as version, current_setting('server_version') as title,
      current_setting('server_encoding') as encoding`;
  const [server] = await query<{ version: number; title: string; encoding: string }>(pool, { sql, params: [] });
  if (server!.version < OLDEST_SERVER) {
    throw new ConfigError(`PostgreSQL 14 or later is needed, and this is ${server!.title}`);
  }
  if (server!.encoding !== 'UTF8') {
    throw new ConfigError(`the database is encoded in ${server!.encoding}; create one with ENCODING 'UTF8'`);
  }
}
