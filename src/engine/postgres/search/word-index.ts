/** The word index of a declared search: its tables and triggers in PostgreSQL's SQL, and the indexing of stale rows. */
import { memoize } from '../../../base/memo.ts';
import { type Sentence, say } from '../../../base/sentence.ts';
import type { Catalogue } from '../../../collection/declaration.ts';
import { type Change, ofKind } from '../../migration/changes.ts';
import { type Compaction, compactWords, FEWEST_UNUSED } from '../../search/compact-index.ts';
import { readStaleRows, storeStaleRows } from '../../search/index-rows.ts';
import {
  describeIndex,
  type IndexSql,
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
import { awaitSteps, type Steps } from '../../search/steps.ts';
import { identifier, quoteText, type SqlDialect } from '../../sql/statement.ts';
import type { Pool } from '../connections/pool.ts';
import { columnType } from '../dialect.ts';
import { type Notice, query, type Runner } from '../driver.ts';
import { inTransaction } from '../write/transaction.ts';

const TEXT = 'text collate "C" not null';

/**
 * The triggers run with the rights of their owner, so that they also record what other roles and programs write. They
 * name the schemas of tables and operators: `set search_path` would double their cost for a write of one row.
 */
function definitionsOf(schema: string, index: WordIndex): readonly string[] {
  const { collection, documents, words, recent, stale, doc, seq, key } = index;
  const qualified = (table: string) => `${identifier(schema)}.${table}`;
  const table = qualified(identifier(collection.name));
  const columns = collection.key.map((field) => `${identifier(field.name)} ${columnType(field.type)}`).join(', ');
  const changed = (fields: readonly string[]) =>
    fields.map((field) => `old.${identifier(field)} is distinct from new.${identifier(field)}`).join(' or ');
  /** A trigger that records the rows of a query, and its function. */
  const trigger = (suffix: string, event: string, rows: string) => {
    const name = identifier(triggerName(index.name, suffix));
    const body = `begin insert into ${qualified(stale)} (${key()}) ${rows}; return null; end`;
    return [
      `create function ${name}() returns trigger language plpgsql security definer as ${quoteText(body)}`,
      `create trigger ${name} ${event} execute function ${name}()`,
    ];
  };
  return [
    `create table ${documents} (${doc} integer primary key, ${columns}, unique (${key()}))`,
    `create table ${words} (stem ${TEXT}, word ${TEXT}, letters integer, chunk integer not null, last integer not null, docs bytea not null, primary key (stem, word, chunk))`,
    `alter table ${words} alter column docs set storage external`,
    ...wordListIndexes(words).map((on) => `create index ${on}`),
    `create table ${recent} (letter ${TEXT}, last integer not null, names ${TEXT}, docs bytea not null, primary key (letter, last))`,
    `alter table ${recent} alter column names set storage external, alter column docs set storage external`,
    `create table ${stale} (${seq} int8 generated always as identity primary key, ${columns})`,
    ...trigger(
      'insert',
      `after insert on ${table} referencing new table as new_rows for each statement`,
      `select ${key('r.')} from new_rows as r`,
    ),
    ...trigger(
      'delete',
      `after delete on ${table} referencing old table as old_rows for each statement`,
      `select ${key('r.')} from old_rows as r`,
    ),
    ...trigger('truncate', `before truncate on ${table} for each statement`, `select ${key('r.')} from ${table} as r`),
    ...trigger(
      'update',
      `after update on ${table} for each row when (${changed(ownFields(index))})`,
      `select ${key('old.')} union select ${key('new.')}`,
    ),
    ...referencesIn(index).flatMap(({ by, to, target, fields }, nth) =>
      trigger(
        `${nth}`,
        `after update on ${qualified(identifier(to))} for each row when (${changed(fields)})`,
        `select ${key('r.')} from ${table} as r where r.${identifier(by)} operator(pg_catalog.=) new.${identifier(target)}`,
      ),
    ),
  ];
}

/** The definition of the index, as a comment on its table. */
function fingerprint(schema: string, index: WordIndex): string {
  const text = [...definitionsOf(schema, index), describeIndex(index)].join('\n');
  return new Bun.CryptoHasher('sha256').update(text).digest('hex');
}

export interface WordIndexChanges {
  /** Declared indexes that do not exist, are defined differently, or depend on a column that changes. */
  readonly missing: readonly WordIndex[];
  /** The names of indexes that are dropped. */
  readonly obsolete: readonly string[];
}

export async function inspectWordIndexes(
  runner: Runner,
  schema: string,
  { collections }: Pick<Catalogue, 'collections'>,
  changes: readonly Change[] = [],
): Promise<WordIndexChanges> {
  // The tables of other programs do not have the column.
  const sql = `select c.relname::text as name, coalesce(obj_description(c.oid, 'pg_class'), '') as fingerprint
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = $1::text and c.relkind = 'r' and c.relname like '\\_%\\_search\\_words'
      and exists (select 1 from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attname = 'docs' and a.atttypid = 'bytea'::regtype)`;
  const rows = await query<{ name: string; fingerprint: string }>(runner, { sql, params: [schema] });
  const found = new Map(rows.map((row) => [row.name.slice(1, -'_search_words'.length), row.fingerprint]));
  const declared = [...collections.values()].flatMap((each) => wordIndexOf(each) ?? []);
  const names = declared.map(({ name }) => name);
  return {
    missing: declared.filter(
      (index) => found.get(index.name) !== fingerprint(schema, index) || hasOtherColumn(index, changes),
    ),
    obsolete: [...found.keys()].filter((name) => !names.includes(name)),
  };
}

/** Whether changes replace or convert a column whose text or key an index has. */
function hasOtherColumn(index: WordIndex, changes: readonly Change[]): boolean {
  const columns = [
    { to: index.collection.name, fields: ownFields(index) },
    ...referencesIn(index).map(({ to, target, fields }) => ({ to, fields: [target, ...fields] })),
  ];
  return ofKind(changes, 'drop-field', 'add-field', 'change-type').some(({ collection, field }) =>
    columns.some(({ to, fields }) => to === collection.name && fields.includes(field.name)),
  );
}

export function wordIndexSteps({ missing, obsolete }: WordIndexChanges): Sentence[] {
  return [
    ...missing.map(({ collection }) => say`create the search index of ${collection.name}`),
    ...obsolete.map((name) => say`drop the search index of ${name}`),
  ];
}

/** Drops obsolete indexes, and what exists of missing ones. */
export async function dropWordIndexes(runner: Runner, schema: string, changes: WordIndexChanges): Promise<void> {
  const run = (sql: string) => query(runner, { sql, params: [] });
  const { missing, obsolete } = changes;
  for (const name of [...obsolete, ...missing.map(({ name }) => name)]) {
    // Earlier versions had other names, and some that PostgreSQL cut.
    const functions = await query<{ name: string }>(runner, {
      sql: `select p.proname::text as name from pg_catalog.pg_proc p where p.pronamespace = to_regnamespace(quote_ident($1::text))
        and starts_with(p.proname, $2::text) and substr(p.proname, length($2::text) + 1) ~ '^(_[a-z0-9]+)?$'`,
      params: [schema, triggerName(name, '').slice(0, -1)],
    });
    for (const each of functions) await run(`drop function ${identifier(each.name)} cascade`);
    for (const table of Object.values(wordTables(name))) await run(`drop table if exists ${identifier(table)}`);
  }
}

export async function createWordIndexes(runner: Runner, schema: string, { missing }: WordIndexChanges): Promise<void> {
  const run = (sql: string) => query(runner, { sql, params: [] });
  for (const index of missing) {
    for (const definition of definitionsOf(schema, index)) await run(definition);
    const { words, stale, key, collection } = index;
    await run(storeDefinition(index, (hex) => `'\\x${hex}'::bytea`));
    await run(`comment on table ${words} is ${quoteText(fingerprint(schema, index))}`);
    await run(`insert into ${stale} (${key()}) select ${key()} from ${identifier(collection.name)}`);
  }
}

/** The number of the row that became stale last. A search does not wait for later ones, which may never end. */
export async function newestStale(runner: Runner, { stale, seq }: WordIndex): Promise<string> {
  const sql = `select coalesce(max(${seq}), 0)::text as seq from ${stale}`;
  return (await query<{ seq: string }>(runner, { sql, params: [] }))[0]!.seq;
}

/** Whether rows are stale that were recorded up to a number of `newestStale`. */
export async function hasStaleRows(runner: Runner, { stale, seq }: WordIndex, newest: string): Promise<boolean> {
  const sql = `select 1 as stale from ${stale} where ${seq} <= $1::int8 limit 1`;
  return (await query(runner, { sql, params: [newest] })).length > 0;
}

/** The rows that were indexed since the last vacuum, and whether one has failed. */
const vacuumOf = memoize((_: WordIndex) => ({ rows: 0, hasFailed: false }));
/** The server's own vacuum is too late for an index of which each batch replaces a part. */
const ROWS_BEFORE_VACUUM = 5_000;

export async function indexWords(pool: Pool, dialect: SqlDialect, index: WordIndex): Promise<void> {
  const rows = await changeIndex(pool, index, indexStaleRows(withSql(dialect, index)));
  vacuumOf(index).rows += rows;
}

/** Vacuums an index after many rows. Reports the first failure: it may exceed the time limit of statements. */
export async function vacuumIndex(pool: Pool, index: WordIndex, notice: Notice): Promise<void> {
  const { words, recent, stale, collection } = index;
  const vacuum = vacuumOf(index);
  if (vacuum.rows < ROWS_BEFORE_VACUUM) return;
  vacuum.rows = 0;
  const sql = `vacuum (skip_locked) ${words}, ${recent}, ${stale}`;
  try {
    await pool.dedicated('costly write', (connection) => connection.unsafe(sql));
  } catch (error) {
    const message = `could not vacuum the search index of ${collection.name}: ${(error as Error).message}`;
    if (!vacuum.hasFailed) notice('warn', message);
    vacuum.hasFailed = true;
  }
}

/** Returns the number of the rows. */
function* indexStaleRows(index: IndexSql): Steps<number> {
  const read = yield* readStaleRows(index);
  if (read !== undefined) yield* storeStaleRows(index, read);
  return read?.stale.length ?? 0;
}

/** Removes the words of rows that changed. Ends early if `isStopped` returns true. */
export async function compactIndex(pool: Pool, dialect: SqlDialect, index: WordIndex, isStopped: () => boolean) {
  // A number takes two bytes at least.
  const sql = `select 1 as found from ${index.words} where stem = '' having sum(length(docs)) > ${2 * FEWEST_UNUSED}`;
  if ((await query(pool, { sql, params: [] })).length === 0) return;
  let step: Compaction | undefined;
  do step = await changeIndex(pool, index, compactWords(withSql(dialect, index), step));
  while (step !== undefined && !isStopped());
}

function changeIndex<T>(pool: Pool, index: WordIndex, steps: Steps<T>): Promise<T> {
  return inTransaction(
    pool,
    async (connection) => {
      // Not the words: vacuum would wait for it. A batch finds its rows by their keys instead of reading whole tables.
      await connection.unsafe(`lock table ${index.documents} in exclusive mode; set local random_page_cost = 0.1`);
      return awaitSteps(steps, (statement) => query(connection, statement));
    },
    true,
  );
}
