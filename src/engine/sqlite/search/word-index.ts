/** The word index of a declared search: its tables and triggers in SQLite's SQL, and the indexing of stale rows. */
import type { Database } from 'bun:sqlite';
import { memoize } from '../../../base/memo.ts';
import type { Catalogue, Collection } from '../../../collection/declaration.ts';
import type { ReadPlan } from '../../../plan/types.ts';
import { type Compaction, compactWords, FEWEST_UNUSED } from '../../search/compact-index.ts';
import { readStaleRows, type StaleRows, storeIfStale } from '../../search/index-rows.ts';
import {
  describeIndex,
  ownFields,
  referencesIn,
  storeDefinition,
  triggerName,
  type WordIndex,
  withSql,
  wordIndexOf,
  wordListIndexes,
  wordTables,
} from '../../search/index-tables.ts';
import { rankRows } from '../../search/rank.ts';
import { rankedPlan, rankJobOf } from '../../search/rank-job.ts';
import { compileSearchRead, type SearchRead } from '../../search/search-reads.ts';
import { runSteps, type StepRow, type Steps } from '../../search/steps.ts';
import { type IndexState, verifyIndex } from '../../search/verify-index.ts';
import { identifier } from '../../sql/statement.ts';
import type { Connection } from '../connection/connection.ts';
import { checkDeadline } from '../connection/deadline.ts';
import { guardedDialect, sqliteDialect } from '../dialect.ts';
import { anyChanged } from '../functions/argument-groups.ts';
import { select } from '../schema/schema.ts';

function definitionsOf(index: WordIndex): readonly string[] {
  const { collection, name, documents, words, recent, stale, doc, seq, key } = index;
  const table = identifier(collection.name);
  const columns = collection.key.map((field) => `${identifier(field.name)} ${field.type.sqlite.column}`).join(', ');
  const trigger = (suffix: string) => identifier(triggerName(name, suffix));
  const changed = (fields: readonly string[]) => anyChanged(fields.map(identifier));
  const record = (rows: string) => `begin insert into ${stale} (${key()}) ${rows}; end`;
  return [
    `create table ${documents} (${doc} integer primary key, ${columns}, unique (${key()})) strict`,
    `create table ${words} (stem text not null, word text not null, letters integer, chunk integer not null, last integer not null, docs blob not null /* ${describeIndex(index)} */, primary key (stem, word, chunk)) strict, without rowid`,
    ...wordListIndexes(words).map((on, nth) => `create index ${identifier(`_${name}_search_words_${nth}`)} ${on}`),
    `create table ${recent} (letter text not null, last integer not null, names text not null, docs blob not null, primary key (letter, last)) strict`,
    `create table ${stale} (${seq} integer primary key autoincrement, ${columns}) strict`,
    `create trigger ${trigger('insert')} after insert on ${table} ${record(`values (${key('new.')})`)}`,
    `create trigger ${trigger('delete')} after delete on ${table} ${record(`values (${key('old.')})`)}`,
    `create trigger ${trigger('update')} after update on ${table} when ${changed(ownFields(index))} ${record(`select ${key('old.')} union select ${key('new.')}`)}`,
    ...referencesIn(index).map(({ by, to, target, fields }) => {
      const rows = `select ${key()} from ${table} where ${identifier(by)} = new.${identifier(target)}`;
      return `create trigger ${trigger(`by_${by}`)} after update on ${identifier(to)} when ${changed(fields)} ${record(rows)}`;
    }),
  ];
}

function searchedCollections({ collections }: Pick<Catalogue, 'collections'>): readonly WordIndex[] {
  return [...collections.values()].flatMap((each) => wordIndexOf(each) ?? []);
}

function storedDefinitions(db: Database): ReadonlyMap<string, string> {
  const rows = select(db, "select name, sql from sqlite_schema where name glob '_*_search_*' and sql is not null");
  return new Map(rows.map(([name, sql]) => [String(name), String(sql).toLowerCase()]));
}

/** The names of the indexes that have tables in the file. */
function indexedTables(stored: ReadonlyMap<string, string>): readonly string[] {
  // The tables of other programs do not have the column.
  const names = [...stored].filter(([, sql]) => sql.includes('docs blob')).map(([name]) => name);
  return names.flatMap((name) => /^_(.*)_search_words$/.exec(name)?.[1] ?? []);
}

function isInPlace(index: WordIndex, stored: ReadonlyMap<string, string>): boolean {
  const definitions = new Set(stored.values());
  return definitionsOf(index).every((definition) => definitions.has(definition.toLowerCase()));
}

export function hasWordIndexes(db: Database, catalogue: Pick<Catalogue, 'collections'>): boolean {
  const stored = storedDefinitions(db);
  const indexes = searchedCollections(catalogue);
  const names = new Set(indexes.map(({ name }) => name));
  return indexes.every((index) => isInPlace(index, stored)) && indexedTables(stored).every((name) => names.has(name));
}

export function hasWordIndex(db: Database, collection: Collection): boolean {
  return isInPlace(wordIndexOf(collection)!, storedDefinitions(db));
}

export function checkWords(db: Database, collection: Collection): IndexState {
  const verify = () =>
    runSteps(verifyIndex(withSql(sqliteDialect, wordIndexOf(collection)!)), ({ sql, params }) => {
      using statement = db.prepare(sql);
      return statement.all(...(params as string[])) as StepRow[];
    });
  // In one snapshot: a service may move words while they are read.
  return db.transaction(verify)();
}

/** Creates missing indexes with all rows stale, and drops obsolete ones. */
export function createWordIndexes(db: Database, catalogue: Pick<Catalogue, 'collections'>): void {
  const stored = storedDefinitions(db);
  const missing = searchedCollections(catalogue).filter((index) => !isInPlace(index, stored));
  const current = searchedCollections(catalogue).map(({ name }) => name);
  const obsolete = indexedTables(stored).filter((name) => !current.includes(name));
  for (const name of [...obsolete, ...missing.map(({ name }) => name)]) drop(db, name, stored);
  for (const index of missing) {
    for (const definition of definitionsOf(index)) db.run(definition);
    db.run(storeDefinition(index, (hex) => `x'${hex}'`));
    const { stale, key, collection } = index;
    db.run(`insert into ${stale} (${key()}) select ${key()} from ${identifier(collection.name)}`);
  }
}

function drop(db: Database, name: string, stored: ReadonlyMap<string, string>): void {
  const triggers = [...stored.keys()].filter((each) => each.startsWith(triggerName(name, '')));
  for (const trigger of triggers) db.run(`drop trigger if exists ${identifier(trigger)}`);
  for (const table of Object.values(wordTables(name))) db.run(`drop table if exists ${identifier(table)}`);
}

/** Finds the rows of a search. */
export function rankOn(connection: Connection, index: WordIndex, plan: ReadPlan): ReadPlan {
  const read = (asked: SearchRead) => connection.rows(compileSearchRead(guardedDialect, index, plan, asked));
  return rankedPlan(plan, runSteps(rankRows(rankJobOf(index, plan)), read, checkDeadline));
}

/** Whether rows are stale that were recorded up to a number of `newestStale`. */
export function hasStaleRows(
  connection: Connection,
  { stale, seq }: WordIndex,
  newest = Number.MAX_SAFE_INTEGER,
): boolean {
  return connection.values(`select 1 from ${stale} where ${seq} <= ${newest} limit 1`).length > 0;
}

/** The number of the row that became stale last. A search does not wait for later ones, which may never end. */
export function newestStale(connection: Connection, { stale, seq }: WordIndex): number {
  return connection.number(`select coalesce(max(${seq}), 0) from ${stale}`);
}

/** By collection: rows that a connection has read for the index, and has not stored yet, and the next compaction. */
const batchesOf = memoize((_: Connection) => new Map<string, StaleRows>());
const compactionsOf = memoize((_: Connection) => new Map<string, Compaction>());
/** Fewer rows are read and stored at once. */
export const FEW_ROWS = 50;

/**
 * Reads or stores the next stale rows of a collection: both take time, and others write in between. Returns their
 * number. Waits so long for other processes.
 */
export function indexWords(connection: Connection, collection: Collection, waitMs: number): number {
  const index = wordIndexOf(collection);
  if (index === undefined) return 0;
  const { name } = collection;
  const batches = batchesOf(connection);
  let batch = batches.get(name);
  if (batch === undefined) {
    batch = runSteps(readStaleRows(withSql(sqliteDialect, index)), (statement) => connection.rows(statement));
    if (batch === undefined) return 0;
    batches.set(name, batch);
    if (batch.stale.length > FEW_ROWS) return batch.stale.length;
  }
  batches.delete(name);
  changeIndex(connection, storeIfStale(withSql(sqliteDialect, index), batch), waitMs);
  return batch.stale.length;
}

/** Removes words of rows that changed. Returns false if nothing is left to do. */
export function compactNextWords(connection: Connection, collection: Collection): boolean {
  const index = wordIndexOf(collection);
  if (index === undefined || !hasUnused(connection, index)) return false;
  const { name } = collection;
  const compactions = compactionsOf(connection);
  const step = changeIndex(connection, compactWords(withSql(sqliteDialect, index), compactions.get(name)), 0);
  if (step === undefined) compactions.delete(name);
  else compactions.set(name, step);
  return step !== undefined;
}

/** A number takes two bytes at least. */
function hasUnused(connection: Connection, { words }: WordIndex): boolean {
  const sql = `select coalesce(sum(length(docs)), 0) from ${words} where stem = ''`;
  return connection.number(sql) > 2 * FEWEST_UNUSED;
}

function changeIndex<T>(connection: Connection, steps: Steps<T>, waitMs: number): T {
  return connection.writing(() => runSteps(steps, (statement) => connection.rows(statement)), waitMs);
}
