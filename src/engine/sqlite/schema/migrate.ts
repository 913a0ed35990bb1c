/**
 * Migrates a database file to the declaration in one transaction with the write lock. A kill leaves the file unchanged;
 * of several starting processes one migrates, and the others find it done.
 */
import type { Database } from 'bun:sqlite';
import { ApiError } from '../../../base/errors.ts';
import { SQLITE_BUSY_MS, SQLITE_WRITE_WAIT_MS } from '../../../base/limits/engine.ts';
import { about } from '../../../base/sentence.ts';
import { allReferences, type Catalogue, type Collection } from '../../../collection/declaration.ts';
import { ConfigError } from '../../../settings/setting.ts';
import {
  blockingChanges,
  type Change,
  type Comparison,
  compare,
  ofKind,
  type SchemaRequirement,
} from '../../migration/changes.ts';
import { clearDanglingSql, type FirstRows, type Question, questionSql } from '../../migration/question.ts';
import { RECORD_TABLE, recordOf } from '../../migration/record.ts';
import { assess, notToCreate } from '../../migration/risks.ts';
import {
  blockedBy,
  cannotCompute,
  type MigrationPlan,
  MigrationRejected,
  notMigrated,
  recomputedTables,
  sentencesOf,
  stepsOf,
  waitNotices,
} from '../../migration/words.ts';
import { identifier, quoteText } from '../../sql/statement.ts';
import { applyLog, hasLog, isLogOn } from '../history/triggers.ts';
import { createSearchIndexes, hasSearchIndexes } from '../search/search-index.ts';
import { createWordIndexes, hasWordIndexes } from '../search/word-index.ts';
import { startKeysAt } from '../write/assigned-keys.ts';
import { defineConversions, sqliteValues, unreadable } from './conversion.ts';
import { foreignTables, type Inspection, inspect } from './inspect.ts';
import { sqliteNameProblems } from './names.ts';
import { addFields, isRebuilt, NEW_TABLE, rebuild } from './rebuild.ts';
import * as schema from './schema.ts';

export interface SqliteRequirement {
  readonly catalogue: Catalogue;
  readonly firstRows: FirstRows;
  /** Permitted data loss, in the syntax of `--allow`. */
  readonly allowed?: readonly string[];
  /** How long the log of changes is kept; 0 for no log. Undefined leaves it as it is; a new database has one. */
  readonly historyDays?: number | undefined;
  /** False for a command that only reads: a schema that it cannot read is an error. */
  readonly isMigrated?: boolean;
  readonly notice?: ((level: 'warn', message: string) => void) | undefined;
}

/** Returns the steps for messages. Without changes it does not wait for a writer. */
export function prepareSchema(db: Database, requirement: SqliteRequirement): readonly string[] {
  if (isInPlace(db, requirement)) return [];
  if (requirement.isMigrated === false) return checkReadable(db, requirement);
  defineConversions(db);
  const migrate = () => {
    const plan = planOf(db, requirement);
    if (plan.problems.length > 0) throw new MigrationRejected(db.filename, requirement.catalogue, plan);
    for (const each of waitNotices(plan.counts)) requirement.notice?.('warn', each);
    applyChanges(db, requirement, plan.found, plan.comparison);
    return plan.steps;
  };
  return withComputedErrors(db, () => inWriteTransaction(db, migrate));
}

/** Only a computed field raises errors of requests here. */
function withComputedErrors<T>(db: Database, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { message } = error.wordings;
    throw cannotCompute(db.filename, error.field === undefined ? message : about(error.field, message));
  }
}

/** Other indexes, rules and defaults do not matter to a reader. */
function checkReadable(db: Database, { catalogue }: SqliteRequirement): readonly [] {
  const steps = stepsOf(blockingChanges(differencesIn(db, catalogue)));
  if (steps.length > 0) throw notMigrated(db.filename, steps);
  return [];
}

/** The steps and obstacles, from one snapshot and without changes. */
export function planSchema(db: Database, requirement: SqliteRequirement): MigrationPlan {
  defineConversions(db);
  const { sentences, steps, problems } = withComputedErrors(db, () =>
    db.transaction(() => planOf(db, requirement)).deferred(),
  );
  return { steps, problems, sentences };
}

function planOf(db: Database, requirement: SqliteRequirement) {
  const { catalogue, firstRows, allowed = [] } = requirement;
  const found = inspect(db, catalogue);
  const comparison = compare(requirementOf(catalogue), found);
  const assessment = assess(comparison, firstRows);
  let asked = assessment.next();
  while (asked.done !== true) asked = assessment.next(answer(db, asked.value));
  const problems = [
    ...notToCreate(catalogue.collections.values()),
    ...sqliteNameProblems(catalogue),
    ...foreignTables(found, catalogue),
    ...blockedBy(asked.value, allowed),
  ];
  const countRows = (table: string) => schema.count(db, `select count(*) from ${identifier(table)}`);
  const counts = new Map([...recomputedTables(comparison)].map(([name, table]) => [name, countRows(table)]));
  const sentences = sentencesOf(comparison, counts);
  return { found, comparison, counts, sentences, steps: sentences.map(String), problems };
}

export function differencesIn(db: Database, catalogue: Catalogue): Comparison {
  return compare(requirementOf(catalogue), inspect(db, catalogue));
}

/** Changes since the file was created that its rows do not fit: rules, names, and fields that have no default. */
export function rowChanges(db: Database, catalogue: Catalogue): readonly string[] {
  const comparison = differencesIn(db, catalogue);
  const isNeeded = (change: Change) =>
    /^(rename-|change-(type|key|rules)|add-(unique|reference))/.test(change.kind) ||
    (change.kind === 'add-field' && change.field.required && change.field.default === undefined);
  const changes = comparison.changes.filter(
    (change) => comparison.pairs.get(change.collection.name)?.before !== undefined && isNeeded(change),
  );
  return stepsOf({ ...comparison, changes });
}

/** Takes the write lock and disables foreign keys: dropping a table must not delete rows of others. */
function inWriteTransaction<T>(db: Database, work: () => T): T {
  const foreignKeys = schema.pragma(db, 'foreign_keys');
  db.run(`pragma busy_timeout = ${SQLITE_WRITE_WAIT_MS}`);
  db.run('pragma foreign_keys = off');
  try {
    return db.transaction(work).immediate();
  } finally {
    db.run(`pragma foreign_keys = ${foreignKeys}`);
    db.run(`pragma busy_timeout = ${SQLITE_BUSY_MS}`);
  }
}

function requirementOf(catalogue: Catalogue): SchemaRequirement {
  return {
    catalogue,
    own: [...catalogue.collections.values()],
    indexesOf: (collection) => schema.indexesOf(collection).filter(({ isUnique }) => !isUnique),
  };
}

function isInPlace(db: Database, { catalogue, historyDays }: SqliteRequirement): boolean {
  const found = inspect(db, catalogue);
  if (found.isNew || schema.pragma(db, 'user_version') !== schema.SCHEMA_VERSION) return false;
  if (found.record !== recordOf(catalogue.collections.values())) return false;
  if (!hasSearchIndexes(db, catalogue) || !hasWordIndexes(db, catalogue)) return false;
  if (!hasLog(db, catalogue, isLogOn(db, historyDays))) return false;
  const { changes } = compare(requirementOf(catalogue), found);
  return changes.length === 0 && foreignTables(found, catalogue).length === 0;
}

function answer(db: Database, question: Question): number {
  if (question.kind === 'unreadable') {
    return schema.count(db, `select count(*) from ${identifier(question.table)} where ${unreadable(question.of)}`);
  }
  const sql = questionSql(question, sqliteValues);
  return sql === undefined ? 0 : schema.count(db, sql);
}

function applyChanges(db: Database, requirement: SqliteRequirement, found: Inspection, comparison: Comparison): void {
  const { catalogue, firstRows, allowed = [] } = requirement;
  const { pairs, changes } = comparison;
  if (found.isNew) for (const sql of schema.RETRY_TABLE_SQL) db.run(sql);
  removeAndRename(db, comparison);
  const created = ofKind(changes, 'create-collection').map(({ collection }) => collection);
  for (const collection of created) db.run(schema.tableSql(catalogue, collection));
  const rebuilt = [...pairs.values()].filter((pair) => isRebuilt(found.catalogue, catalogue, pair, allowed));
  for (const pair of rebuilt) rebuild(db, catalogue, pair, allowed);
  for (const collection of [...created, ...rebuilt.map(({ now }) => now)]) startKeysAt(db, collection);
  for (const pair of pairs.values()) {
    if (pair.before !== undefined && !rebuilt.includes(pair)) addFields(db, catalogue, pair);
  }
  for (const collection of created) schema.insertRows(db, collection, firstRows(collection));
  for (const sql of clearDanglingSql(comparison, allowed, sqliteValues)) db.run(sql);
  for (const collection of catalogue.collections.values()) {
    for (const index of schema.indexesOf(collection)) db.run(schema.indexSql(collection, index));
  }
  createSearchIndexes(db, catalogue.collections);
  createWordIndexes(db, catalogue);
  applyLog(db, catalogue, comparison, isLogOn(db, requirement.historyDays, found.isNew));
  checkReferences(db, catalogue, [...created, ...rebuilt.map(({ now }) => now)]);
  markAsOurs(db, catalogue);
}

/** References of other tables follow renamed tables and columns. */
function removeAndRename(db: Database, { changes }: Comparison): void {
  for (const { collection } of ofKind(changes, 'drop-collection')) db.run(`drop table ${identifier(collection.name)}`);
  for (const { index } of ofKind(changes, 'drop-index')) db.run(`drop index ${identifier(index.name)}`);
  for (const { unique } of ofKind(changes, 'drop-unique')) db.run(`drop index ${identifier(unique.name)}`);
  for (const { collection, before } of ofKind(changes, 'rename-collection')) {
    // In two steps, since SQLite does not change only the case of a name.
    db.run(`alter table ${identifier(before.name)} rename to ${identifier(NEW_TABLE)}`);
    db.run(`alter table ${identifier(NEW_TABLE)} rename to ${identifier(collection.name)}`);
  }
  for (const { collection, field, before } of ofKind(changes, 'rename-field')) {
    const columns = `${identifier(before.name)} to ${identifier(field.name)}`;
    db.run(`alter table ${identifier(collection.name)} rename column ${columns}`);
  }
}

/** Checks new and rebuilt tables and those that refer to them. */
function checkReferences(db: Database, { collections }: Catalogue, touched: readonly Collection[]): void {
  const names = touched.map(({ name }) => name);
  for (const collection of collections.values()) {
    const { name } = collection;
    if (!allReferences(collection).some(({ to }) => names.includes(name) || names.includes(to))) continue;
    const sql = `select parent as "to", count(*) as rows from pragma_foreign_key_check(${quoteText(name)}) group by parent`;
    const [broken] = db.query<{ to: string; rows: number }, []>(sql).all();
    if (broken === undefined) continue;
    const { to, rows } = broken;
    const one = `1 row of ${name} refers to a row of ${to} that does`;
    const refer = rows === 1 ? one : `${rows} rows of ${name} refer to rows of ${to} that do`;
    throw new ConfigError(`${refer} not exist; nothing was changed`);
  }
}

function markAsOurs(db: Database, { collections }: Catalogue): void {
  db.run(`create table if not exists ${RECORD_TABLE} (declaration text not null) strict`);
  db.run(`delete from ${RECORD_TABLE}`);
  db.run(`insert into ${RECORD_TABLE} (declaration) values (?)`, [recordOf(collections.values())]);
  const { APPLICATION_ID, SCHEMA_VERSION, pragma } = schema;
  if (pragma(db, 'application_id') !== APPLICATION_ID) db.run(`pragma application_id = ${APPLICATION_ID}`);
  if (pragma(db, 'user_version') !== SCHEMA_VERSION) db.run(`pragma user_version = ${SCHEMA_VERSION}`);
}
