/**
 * The tables of a catalogue, made and brought up to date from the collection's declaration. All of it happens in one
 * transaction under an advisory lock: ten instances may start at once, and a kill in between leaves no half schema.
 * Where nothing is to be done, nothing is asked for beyond reading, so that a role without DDL rights can serve.
 */
import type { SQL } from 'bun';
import type { Catalogue, Collection, Field } from '../../collection/declaration.ts';
import type { Type } from '../../collection/types/type.ts';
import type { Value } from '../../collection/value.ts';
import { ConfigError } from '../../config.ts';
import { fieldExpression } from '../../plan/resolve.ts';
import type { StoredRow } from '../../plan/types.ts';
import { identifier } from '../compile/statement.ts';
import type { Creation } from '../load.ts';
import { columnType } from './dialect.ts';
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
import { hasPrefixIndex, prefix } from './prefix-index.ts';
import { sqlState } from './refusals.ts';
import { assignedKey, rowsAsJson } from './writes.ts';

/** "PCat", as SQLite files have it. */
const LOCK = 0x50436174;
/** PostgreSQL 14. */
const OLDEST_SERVER = 140_000;

export interface Prepared {
  /** What assigns the keys of a collection, quoted, by its name. */
  readonly sequences: ReadonlyMap<string, string>;
  /** What was done, for people; empty where all was in place. */
  readonly steps: readonly string[];
  /** Whether the tables are there; where they are left to a load, they are not. */
  readonly hasTables: boolean;
}

interface Demand {
  readonly schema: string;
  readonly catalogue: Catalogue;
  readonly firstRows: (collection: Collection) => readonly StoredRow[];
  readonly creation?: Creation;
}

/** What the schema holds of each collection. */
type FoundAll = readonly { readonly collection: Collection; readonly found: Found }[];

export async function prepareSchema(pool: SQL, demand: Demand): Promise<Prepared> {
  await checkServer(pool);
  const all = await inspectAll(pool, demand);
  if (isInPlace(demand, all)) return { sequences: sequencesIn(all), steps: [], hasTables: true };
  const { creation = 'at once', schema } = demand;
  if (creation !== 'at once' && all.every(({ found }) => found.columns.length === 0 && found.isTable)) {
    if (creation === 'by a load') return { sequences: new Map(), steps: todo(demand, all), hasTables: false };
    throw new ConfigError(
      `there is no table ${all[0]!.collection.name} in the schema ${schema}; catalogue migrate makes it`,
    );
  }
  try {
    return await pool.begin((transaction) => makeTables(transaction, demand));
  } catch (error) {
    // Indexes make it quick; everything else makes it right.
    if (!(error instanceof NoRights) || error.needed.some((step) => !step.startsWith('index '))) throw error;
    return { sequences: sequencesIn(all), steps: [], hasTables: true };
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

async function inspectAll(runner: Runner, { schema, catalogue }: Demand): Promise<FoundAll> {
  const all: { collection: Collection; found: Found }[] = [];
  for (const collection of catalogue.collections.values()) {
    all.push({ collection, found: await inspectSchema(runner, schema, collection) });
  }
  return all;
}

function sequencesIn(all: FoundAll): ReadonlyMap<string, string> {
  return new Map(
    all.flatMap(({ collection, found }): [string, string][] => {
      return collection.assigned === undefined || found.sequence === null ? [] : [[collection.name, found.sequence]];
    }),
  );
}

/** Looked at without the lock, a schema that another instance is making may seem not to fit: with the lock it is told. */
function isInPlace(demand: Demand, found: FoundAll): boolean {
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
  await query(transaction, { sql: 'set local statement_timeout = 0', params: [] });
  await query(transaction, { sql: `select pg_advisory_xact_lock(${LOCK})`, params: [] });
  const all = await inspectAll(transaction, demand);
  const steps = todo(demand, all);
  try {
    return { sequences: await make(transaction, demand, all), steps, hasTables: true };
  } catch (error) {
    if (sqlState(error) !== '42501') throw error;
    throw new NoRights(steps, demand.schema, (error as Error).message);
  }
}

/** Returns the sequences. */
async function make(transaction: Runner, demand: Demand, all: FoundAll): Promise<Prepared['sequences']> {
  const { schema, catalogue, firstRows } = demand;
  const run = (sql: string) => query(transaction, { sql, params: [] });
  const [{ found: any }] = all as readonly [FoundAll[number]];
  if (!any.schemaExists) await run(`create schema ${quoteName(schema)}`);
  if (!any.hasRetries) await createRetries(run);
  for (const { collection, found } of all) {
    if (found.columns.length === 0) await run(createTable(collection));
    else for (const field of missingFields(collection, found)) await run(addColumn(collection, field));
    for (const field of missingIndexes(collection, found)) {
      const index = identifier(indexName(collection, field));
      const column = identifier(field.name);
      const indexed = hasPrefixIndex(fieldExpression(field)) ? prefix(column) : column;
      await run(`create index if not exists ${index} on ${identifier(collection.name)} (${indexed})`);
    }
  }
  if (any.version === null) {
    await run(`create table if not exists ${VERSION_TABLE} (version integer not null)`);
    await run(`insert into ${VERSION_TABLE} (version) values (${SCHEMA_VERSION})`);
  }
  const after = await inspectAll(transaction, demand);
  const sequences = sequencesIn(after);
  // Rows before references: a row may refer to one that comes later.
  for (const { collection, found } of all) {
    if (found.columns.length > 0) continue;
    await insertFirst(transaction, collection, sequences.get(collection.name), firstRows(collection));
  }
  for (const { collection, found } of all) {
    for (const sql of missingConstraints(catalogue, collection, found)) await run(sql);
  }
  return sequences;
}

/** Unique fields and references, of tables that are ours. */
function missingConstraints({ collections }: Catalogue, collection: Collection, found: Found): string[] {
  if (found.version === null && found.columns.length > 0) return [];
  const alter = `alter table ${identifier(collection.name)} add constraint`;
  const unique = collection.unique
    .filter(({ name }) => !found.constraints.includes(name))
    .map(
      ({ name, fields }) =>
        `${alter} ${identifier(name)} unique (${fields.map((field) => identifier(field.name)).join(', ')})`,
    );
  const references = collection.references
    .filter(({ name }) => !found.constraints.includes(name))
    .map(({ name, field, to, onDelete }) => {
      const key = identifier(collections.get(to)!.key[0]!.name);
      const action = onDelete === 'restrict' ? '' : ` on delete ${onDelete}`;
      return `${alter} ${identifier(name)} foreign key (${identifier(field.name)}) references ${identifier(to)} (${key})${action}`;
    });
  return [...unique, ...references];
}

/** What is missing, in words. Throws where it cannot be mended. */
function todo({ schema, catalogue }: Demand, all: FoundAll): string[] {
  const steps: string[] = [];
  for (const [index, { collection, found }] of all.entries()) {
    if (index === 0) {
      if ((found.version ?? 0) > SCHEMA_VERSION) {
        throw new ConfigError(`the schema ${schema} was written by a newer version of this program`);
      }
      if (!found.schemaExists) steps.push(`schema ${schema}`);
      if (!found.hasRetries) steps.push(`table ${RETRY_TABLE}`);
      if (found.version === null) steps.push(`table ${VERSION_TABLE}`);
    }
    if (found.columns.length === 0 && found.isTable) steps.push(`table ${collection.name}`);
    else {
      steps.push(...mendable(schema, collection, found));
      steps.push(...missingConstraints(catalogue, collection, found).map(() => `constraint of ${collection.name}`));
    }
    steps.push(...missingIndexes(collection, found).map((field) => `index ${indexName(collection, field)}`));
  }
  return steps;
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
    field === collection.assigned
      ? `${identifier(field.name)} ${columnType(field.type)} generated by default as identity primary key`
      : columnDefinition(collection, field),
  );
  const key = collection.key.map((field) => identifier(field.name)).join(', ');
  const primary = collection.assigned === undefined ? [`primary key (${key})`] : [];
  return `create table ${identifier(collection.name)} (${[...columns, ...primary].join(', ')})`;
}

function addColumn(collection: Collection, field: Field): string {
  return `alter table ${identifier(collection.name)} add column ${columnDefinition(collection, field)}`;
}

function columnDefinition(collection: Collection, field: Field): string {
  const required = field.required ? ' not null' : '';
  return `${identifier(field.name)} ${columnType(field.type)}${required}${byDefault(field)}${check(collection, field)}`;
}

const GENERATED = { now: 'now()', uuid: 'gen_random_uuid()' } as const;

function byDefault({ default: value, generated, type }: Field): string {
  if (generated !== undefined) return ` default ${GENERATED[generated]}`;
  return value === undefined ? '' : ` default ${literal(value, type)}`;
}

/** The planner has checked the value already; the table keeps its word even to other programs. */
function check(collection: Collection, { name, type, rules }: Field): string {
  const column = identifier(name);
  const { minimum, maximum, maxLength, oneOf } = rules;
  const conditions = [
    ...(minimum === undefined ? [] : [`${column} >= ${literal(minimum, type)}`]),
    ...(maximum === undefined ? [] : [`${column} <= ${literal(maximum, type)}`]),
    ...(maxLength === undefined ? [] : [`char_length(${column}) <= ${maxLength}`]),
    ...(oneOf === undefined ? [] : [`${column} in (${oneOf.map((value) => literal(value, type)).join(', ')})`]),
  ];
  if (conditions.length === 0) return '';
  return ` constraint ${identifier(`${collection.name}_${name}_check`)} check (${conditions.join(' and ')})`;
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
  sequence: string | undefined,
  rows: readonly StoredRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const { fields, assigned } = collection;
  const columns = fields.map((field) => identifier(field.name)).join(', ');
  const types = fields.map((field) => `${identifier(field.name)} ${columnType(field.type)}`).join(', ');
  const values = fields.map((field) => {
    const column = identifier(field.name);
    return field === assigned ? assignedKey(column, sequence) : column;
  });
  const chosen = assigned === undefined ? [] : rows.flatMap((row) => row[fields.indexOf(assigned)] ?? []);
  if (sequence !== undefined && chosen.length > 0) {
    const largest = chosen.reduce((most, key) => (key! > most! ? key : most));
    await query(runner, { sql: `select setval(${quoteText(sequence)}, greatest(1, ${largest}))`, params: [] });
  }
  await query(runner, {
    sql: `insert into ${identifier(collection.name)} (${columns}) select ${values.join(', ')} from json_to_recordset($1::text::json) as given (${types})`,
    params: [rowsAsJson(fields, rows)],
  });
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

function literal(value: Value, type: Type): string {
  return `${quoteText(String(type.postgres.bind?.(value) ?? value))}::${type.postgres.name}`;
}
