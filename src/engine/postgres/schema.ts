/**
 * The tables of a catalogue, made and brought up to date from the collection's declaration. All of it happens in one
 * transaction under an advisory lock: ten instances may start at once, and a kill in between leaves no half schema.
 * Where nothing is to be done, nothing is asked for beyond reading, so that a role without DDL rights can serve.
 */
import type { SQL } from 'bun';
import type { Collection, Field } from '../../collection/declaration.ts';
import type { Row, Value } from '../../collection/value.ts';
import { ConfigError } from '../../config.ts';
import { identifier } from '../compile/statement.ts';
import type { Creation } from '../load.ts';
import { beginning, hasBeginning } from './beginnings.ts';
import { COLUMN_TYPES } from './dialect.ts';
import { query, quoteName, quoteText, type Runner } from './driver.ts';
import {
  differences,
  type Found,
  indexName,
  inspectSchema,
  missingFields,
  missingIndexes,
  RETRY_TABLE,
  SCHEMA_VERSION,
  VERSION_TABLE,
} from './inspect.ts';
import { sqlState } from './refusals.ts';

/** "PCat", as SQLite files have it. */
const LOCK = 0x50436174;
/** PostgreSQL 14. */
const OLDEST_SERVER = 140_000;

export interface Prepared {
  /** What assigns keys, quoted. */
  readonly sequence: string;
  /** What was done, for people; empty where all was in place. */
  readonly steps: readonly string[];
  /** Whether the tables are there; where they are left to a load, they are not. */
  readonly hasTables: boolean;
}

interface Demand {
  readonly schema: string;
  readonly collection: Collection;
  readonly firstRows: readonly Row[];
  readonly creation?: Creation;
}

export async function prepareSchema(pool: SQL, demand: Demand): Promise<Prepared> {
  await checkServer(pool);
  const found = await inspectSchema(pool, demand.schema, demand.collection);
  if (isInPlace(demand, found)) return { sequence: found.sequence!, steps: [], hasTables: true };
  const { creation = 'at once', collection, schema } = demand;
  if (found.columns.length === 0 && found.isTable && creation !== 'at once') {
    if (creation === 'by a load') return { sequence: '', steps: todo(demand, found), hasTables: false };
    throw new ConfigError(`there is no table ${collection.name} in the schema ${schema}; catalogue migrate makes it`);
  }
  try {
    return await pool.begin((transaction) => makeTables(transaction, demand));
  } catch (error) {
    // Indexes make it quick; everything else makes it right.
    if (!(error instanceof NoRights) || error.needed.some((step) => !step.startsWith('index '))) throw error;
    return { sequence: found.sequence!, steps: [], hasTables: true };
  }
}

class NoRights extends ConfigError {
  constructor(
    readonly needed: readonly string[],
    schema: string,
    reason: string,
  ) {
    super(
      `the schema ${schema} is not up to date (${needed.join(', ')}), and this role may not change it: ${reason}. Run catalogue migrate with a role that may`,
    );
  }
}

/** Looked at without the lock, a schema that another instance is making may seem not to fit: with the lock it is told. */
function isInPlace(demand: Demand, found: Found): boolean {
  try {
    return todo(demand, found).length === 0;
  } catch {
    return false;
  }
}

/**
 * What is missing is made, in the transaction that this runs in. It looks at nothing before it has the lock: what another
 * instance has made meanwhile would not be seen later in the same transaction.
 */
export async function makeTables(transaction: Runner, demand: Demand): Promise<Prepared> {
  const { schema, collection, firstRows } = demand;
  await query(transaction, { sql: 'set local statement_timeout = 0', params: [] });
  await query(transaction, { sql: `select pg_advisory_xact_lock(${LOCK})`, params: [] });
  const found = await inspectSchema(transaction, schema, collection);
  const steps = todo(demand, found);
  try {
    await make(transaction, demand, found);
  } catch (error) {
    if (sqlState(error) !== '42501') throw error;
    throw new NoRights(steps, schema, (error as Error).message);
  }
  const after = await inspectSchema(transaction, schema, collection);
  if (found.columns.length === 0) await insertFirst(transaction, collection, after.sequence!, firstRows);
  return { sequence: after.sequence!, steps, hasTables: true };
}

async function make(transaction: Runner, { schema, collection }: Demand, found: Found): Promise<void> {
  const run = (sql: string) => query(transaction, { sql, params: [] });
  if (!found.schemaExists) await run(`create schema ${quoteName(schema)}`);
  if (found.columns.length === 0) await run(createTable(collection));
  else for (const field of missingFields(collection, found)) await run(addColumn(collection, field));
  if (!found.hasRetries) await createRetries(run);
  for (const field of missingIndexes(collection, found)) {
    const index = identifier(indexName(collection, field));
    const column = identifier(field.name);
    const indexed = hasBeginning(field) ? beginning(column) : column;
    await run(`create index if not exists ${index} on ${identifier(collection.name)} (${indexed})`);
  }
  if (found.version === null) {
    await run(`create table if not exists ${VERSION_TABLE} (version integer not null)`);
    await run(`insert into ${VERSION_TABLE} (version) values (${SCHEMA_VERSION})`);
  }
}

/** What is missing, in words. Throws where it cannot be mended. */
function todo({ schema, collection }: Demand, found: Found): string[] {
  if ((found.version ?? 0) > SCHEMA_VERSION) {
    throw new ConfigError(`the schema ${schema} was written by a newer version of this program`);
  }
  const steps: string[] = [];
  if (!found.schemaExists) steps.push(`schema ${schema}`);
  if (found.columns.length === 0 && found.isTable) steps.push(`table ${collection.name}`);
  else steps.push(...mendable(schema, collection, found));
  if (!found.hasRetries) steps.push(`table ${RETRY_TABLE}`);
  if (found.version === null) steps.push(`table ${VERSION_TABLE}`);
  return [...steps, ...missingIndexes(collection, found).map((field) => `index ${indexName(collection, field)}`)];
}

/** A table of ours may lack a field that is new; a table of others fits as it is, or not at all. */
function mendable(schema: string, collection: Collection, found: Found): string[] {
  const missing = found.version === null ? [] : missingFields(collection, found).map((field) => field.name);
  const wrong = differences(collection, found).filter((each) => !missing.some((name) => each === `${name} is missing`));
  if (wrong.length === 0) return missing.map((name) => `field ${name}`);
  throw new ConfigError(
    `the table ${schema}.${collection.name} does not fit the collection: ${wrong.join('; ')}. Nothing was changed`,
  );
}

/** By default, not always: a client may choose the key. */
function createTable(collection: Collection): string {
  const columns = collection.fields.map((field) =>
    field === collection.key
      ? `${identifier(field.name)} integer generated by default as identity primary key`
      : columnDefinition(field),
  );
  return `create table ${identifier(collection.name)} (${columns.join(', ')})`;
}

function addColumn(collection: Collection, field: Field): string {
  return `alter table ${identifier(collection.name)} add column ${columnDefinition(field)}`;
}

function columnDefinition(field: Field): string {
  const required = field.required === true ? ' not null' : '';
  const byDefault = field.default === undefined ? '' : ` default ${literal(field.default)}`;
  return `${identifier(field.name)} ${COLUMN_TYPES[field.type]}${required}${byDefault}`;
}

async function createRetries(run: (sql: string) => Promise<unknown>): Promise<void> {
  await run(
    `create table ${RETRY_TABLE} (key text collate "C" primary key, fingerprint text not null, result text, created_at timestamptz not null)`,
  );
  await run(`create index ${RETRY_TABLE}_created_at on ${RETRY_TABLE} (created_at)`);
}

async function insertFirst(
  runner: Runner,
  collection: Collection,
  sequence: string,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = collection.fields.map((field) => identifier(field.name)).join(', ');
  const types = collection.fields.map((field) => `${identifier(field.name)} ${COLUMN_TYPES[field.type]}`).join(', ');
  await query(runner, {
    sql: `insert into ${identifier(collection.name)} (${columns}) select ${columns} from json_to_recordset($1::text::json) as given (${types})`,
    params: [JSON.stringify(rows)],
  });
  const largest = Math.max(...rows.map((row) => Number(row[collection.key.name])));
  await query(runner, { sql: `select setval(${quoteText(sequence)}, ${largest})`, params: [] });
}

async function checkServer(pool: Runner): Promise<void> {
  const [server] = await query<{ version: number; title: string; encoding: string }>(pool, {
    sql: `select current_setting('server_version_num')::int4 as version, current_setting('server_version') as title,
      current_setting('server_encoding') as encoding`,
    params: [],
  });
  if (server!.version < OLDEST_SERVER) {
    throw new ConfigError(`PostgreSQL 14 or later is needed, and this is ${server!.title}`);
  }
  if (server!.encoding !== 'UTF8') {
    throw new ConfigError(`the database is encoded in ${server!.encoding}; create one with ENCODING 'UTF8'`);
  }
}

function literal(value: Value): string {
  return typeof value === 'string' ? quoteText(value) : String(value);
}
