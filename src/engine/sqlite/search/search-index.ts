/**
 * The index for text filters, one for each collection. An FTS5 table holds the trigrams of each row's texts and finds
 * candidates (index-candidates.ts); the exact test decides.
 *
 * A write does not update it. Triggers only record the row as pending, which is cheap, and the writer thread indexes
 * pending rows later in batches. Until then they are candidates of every search. The triggers are plain SQL, so rows
 * that another program writes are also recorded. A small catalogue never fills a batch and is never indexed.
 */
import type { Database } from 'bun:sqlite';
import type { Catalogue, Collection, Field } from '../../../collection/declaration.ts';
import { can } from '../../../collection/types/type.ts';
import { looseCase } from '../../../text/case.ts';
import { type Bind, identifier } from '../../sql/statement.ts';
import type { Connection } from '../connection/connection.ts';
import { GUARD } from '../connection/deadline.ts';
import { anyChanged, joinInGroups } from '../functions/argument-groups.ts';
import { select } from '../schema/schema.ts';

/**
 * A batch is limited by rows and text. It is indexed in one transaction, which delays writes. Fewer rows stay pending:
 * testing them costs a search about a millisecond.
 */
const BATCH_ROWS = 500;
const BATCH_BYTES = 128 * 1024;
/** A row with more text stays pending, since indexing it would delay writes too long. */
const MAX_TEXT_BYTES = 1024 * 1024;

const TRIGRAMS = `fts5(texts, content='', contentless_delete=1, detail='none', tokenize='trigram case_sensitive 1')`;

interface SearchIndex {
  readonly table: string;
  readonly texts: readonly string[];
  /** Names begin with `_`, unlike those of collections and fields. */
  readonly index: string;
  readonly pending: string;
  /** `page` is the table's root page: a rebuilt table may have other rows with these ids. */
  readonly definitions: (page: number) => readonly string[];
}

interface StoredSchema {
  readonly definitions: ReadonlySet<string>;
  /** The root page of each table. */
  readonly pages: ReadonlyMap<string, number>;
}

const PENDING_COLUMN = '_row integer primary key /* of the table at page';

export function isIndexed({ fields }: Collection, field: Field | undefined): boolean {
  return field !== undefined && can(field.type, 'text') && fields.includes(field);
}

export function indexedForm(text: string): string {
  return looseCase(text).replaceAll('\0', '\ufffd');
}

/** Returns the search index of a collection; undefined if it has no texts. */
function searchIndexOf(collection: Collection): SearchIndex | undefined {
  const texts = collection.fields.filter((field) => isIndexed(collection, field)).map(({ name }) => identifier(name));
  if (texts.length === 0) return undefined;
  const table = identifier(collection.name);
  const { index, pending, triggers } = partsOf(collection.name);
  const definitions = (page: number) => {
    const isChanged = anyChanged(['_rowid_', ...texts]);
    const record = (rows: string) => `begin insert into ${pending} values ${rows} on conflict do nothing; end`;
    return [
      `create virtual table ${index} using ${TRIGRAMS}`,
      `create table ${pending} (${PENDING_COLUMN} ${page} */) strict`,
      `create trigger ${triggers[0]} after insert on ${table} ${record('(new._rowid_)')}`,
      `create trigger ${triggers[1]} after update on ${table} when ${isChanged} ${record('(old._rowid_), (new._rowid_)')}`,
      `create trigger ${triggers[2]} after delete on ${table} ${record('(old._rowid_)')}`,
    ];
  };
  return { table, texts, index, pending, definitions };
}

function partsOf(table: string) {
  const part = (suffix: string) => identifier(`_${table}_search${suffix}`);
  return { index: part(''), pending: part('_pending'), triggers: ['_insert', '_update', '_delete'].map(part) };
}

/** Whether a trigger belongs to the search index, which a migration drops and recreates. */
export function isOfSearchIndex(trigger: string): boolean {
  return /^_.*_search_(insert|update|delete|stale_.*)$/.test(trigger);
}

export function hasSearchIndexes(db: Database, { collections }: Pick<Catalogue, 'collections'>): boolean {
  const stored = storedSchema(db);
  return [...collections.values()].every((each) => hasSearchIndex(db, each, stored));
}

/** Whether the current index exists for this very table. */
export function hasSearchIndex(db: Database, collection: Collection, stored = storedSchema(db)): boolean {
  const definitions = searchIndexOf(collection)?.definitions(stored.pages.get(collection.name) ?? 0) ?? [];
  return definitions.every((definition) => stored.definitions.has(definition.toLowerCase()));
}

/** Read once for many collections. */
export function storedSchema(db: Database): StoredSchema {
  const rows = select(db, 'select type, name, rootpage, sql from sqlite_schema') as [string, string, number, unknown][];
  return {
    // SQLite preserves the text except for the case of its first words.
    definitions: new Set(rows.map(([, , , sql]) => String(sql).toLowerCase())),
    pages: new Map(rows.flatMap(([type, name, page]) => (type === 'table' ? [[name, Number(page)]] : []))),
  };
}

/** Creates missing indexes with all rows pending, and drops obsolete ones. Returns the collections concerned. */
export function createSearchIndexes(db: Database, collections: ReadonlyMap<string, Collection>): readonly Collection[] {
  const tables = firstColumn(db, "select name from sqlite_schema where type = 'table'");
  for (const pending of firstColumn(db, `select name from sqlite_schema where instr(sql, '(${PENDING_COLUMN}') > 0`)) {
    const table = String(pending).replace(/^_(.*)_search_pending$/, '$1');
    const collection = collections.get(table);
    const hasTexts = collection === undefined || searchIndexOf(collection) !== undefined;
    if (!tables.includes(table) || !hasTexts) drop(db, table);
  }
  const stored = storedSchema(db);
  const missing = [...collections.values()].filter((collection) => !hasSearchIndex(db, collection, stored));
  for (const collection of missing) create(db, collection, stored.pages.get(collection.name) ?? 0);
  return missing;
}

function create(db: Database, collection: Collection, page: number): void {
  drop(db, collection.name);
  const { definitions, table, pending } = searchIndexOf(collection)!;
  for (const definition of definitions(page)) db.run(definition);
  // In table order; an index would give another order.
  db.run(`insert into ${pending} select _rowid_ from ${table} not indexed`);
}

function drop(db: Database, table: string): void {
  const { index, pending, triggers } = partsOf(table);
  for (const trigger of triggers) db.run(`drop trigger if exists ${trigger}`);
  for (const each of [index, pending]) db.run(`drop table if exists ${each}`);
}

/** The row ids of the candidates for an FTS5 query. Finding them also counts against the deadline. */
export function candidateRows(collection: Collection, query: string, bind: Bind): string {
  const { index, pending } = searchIndexOf(collection)!;
  return `select rowid from ${index} where ${index} match ${bind(query)} and ${GUARD} union all select _row from ${pending}`;
}

export function countPending(db: Database, collection: Collection): number {
  const index = searchIndexOf(collection);
  return index === undefined ? 0 : Number(firstColumn(db, `select count(*) from ${index.pending}`)[0]);
}

/**
 * Indexes the next batch of pending rows. Returns false if fewer than `fewest` are pending. Fails while another process
 * writes.
 */
export function indexPending(connection: Connection, collection: Collection, fewest = BATCH_ROWS): boolean {
  const index = searchIndexOf(collection);
  // Checked first, so that writers are not disturbed without need.
  if (index === undefined || nextBatch(connection, index, fewest).length === 0) return false;
  connection.writing(() => {
    for (const row of nextBatch(connection, index, fewest)) indexRow(connection, index, row);
  }, 0);
  return true;
}

/** Ids as text, since they may exceed a double's precision. */
function nextBatch(connection: Connection, { table, texts, pending }: SearchIndex, fewest: number): readonly string[] {
  const lengths = texts.map((column) => `coalesce(octet_length(${table}.${column}), 0)`);
  const bytes = joinInGroups(lengths, ' + ');
  const sql = `select cast(_row as text), ${bytes} from ${pending} left join ${table} on ${table}._rowid_ = _row
    where ${bytes} <= ${MAX_TEXT_BYTES} order by _row limit ${BATCH_ROWS}`;
  const rows: string[] = [];
  let sum = 0;
  for (const [row, size] of connection.values(sql)) {
    rows.push(String(row));
    sum += Number(size);
    if (sum > BATCH_BYTES) return rows;
  }
  return rows.length < fewest ? [] : rows;
}

function indexRow(connection: Connection, { table, texts, index, pending }: SearchIndex, row: string): void {
  const id = 'cast(?1 as integer)';
  const sql = `select ${texts.join(', ')} from ${table} where _rowid_ = ${id}`;
  const [stored] = connection.values({ sql, params: [row] });
  if (stored === undefined) connection.run({ sql: `delete from ${index} where rowid = ${id}`, params: [row] });
  else {
    const text = stored.map((each) => indexedForm(String(each ?? ''))).join('\n');
    connection.run({ sql: `insert or replace into ${index} (rowid, texts) values (${id}, ?2)`, params: [row, text] });
  }
  connection.run({ sql: `delete from ${pending} where _row = ${id}`, params: [row] });
}

function firstColumn(db: Database, sql: string): unknown[] {
  return select(db, sql).map(([value]) => value);
}
