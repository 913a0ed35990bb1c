/** Inspects a schema through PostgreSQL's catalogs. Read-only, without a declaration. */
import type { OnDelete, WriteMethod } from '../../../collection/draft.ts';
import { ConfigError } from '../../../settings/by-command.ts';
import { RECORD_TABLE } from '../../migration/record.ts';
import { identifier, quoteText } from '../../sql/statement.ts';
import { query, type Runner } from '../driver.ts';
import COLUMNS from '../queries/columns.sql' with { type: 'text' };
import CONSTRAINTS from '../queries/constraints.sql' with { type: 'text' };
import INDEXES from '../queries/indexes.sql' with { type: 'text' };
import TABLES from '../queries/tables.sql' with { type: 'text' };

export interface FoundColumn {
  readonly name: string;
  /** As PostgreSQL prints it; the base type of a domain. */
  readonly type: string;
  /** A domain with casts of its own, as PostgreSQL prints it. */
  readonly domain: string | null;
  readonly casts: DomainCasts | null;
  /** The values of an enum, in its order. */
  readonly labels: readonly string[] | null;
  readonly required: boolean;
  /** An expression: the column's own default, or that of its domain. If the column is computed, how. */
  readonly default: string | null;
  /** Clients cannot write it: it is generated, or the view does not pass it on. */
  readonly isComputed: boolean;
  readonly identity: 'always' | 'by default' | null;
  /** The sequence that assigns its values, quoted; null if none. */
  readonly sequence: string | null;
  readonly comment: string | null;
}

/** The functions of casts between a domain and json or text: the form of its values in requests and answers. */
export interface DomainCasts {
  readonly toJson?: string;
  readonly fromJson?: string;
  readonly fromText?: string;
}

export interface FoundConstraint {
  readonly name: string;
  readonly kind: 'primary key' | 'unique' | 'foreign key' | 'check' | 'other';
  readonly columns: readonly string[];
  readonly definition: string;
  /** The target of a foreign key. The delete rule is null for others, such as `set default`. */
  readonly to: { schema: string; table: string; columns: readonly string[]; onDelete: OnDelete | null } | null;
}

export interface FoundIndex {
  readonly name: string;
  readonly isUnique: boolean;
  /** Not partial, and not deferred. */
  readonly isWhole: boolean;
  /** Null for an index on an expression. */
  readonly columns: readonly string[] | null;
}

export interface FoundTable {
  readonly name: string;
  readonly comment: string | null;
  /** Not a view, nor a foreign table. */
  readonly isTable: boolean;
  /** Whether PostgreSQL itself can update the rows of a view. */
  readonly isUpdatableView: boolean;
  /** The methods that can write it, unless it is a table. */
  readonly writes: readonly WriteMethod[] | null;
  /** Whether a trigger sees each row before it is inserted, and may fill in its values. */
  readonly hasInsertTrigger: boolean;
  readonly columns: readonly FoundColumn[];
  readonly constraints: readonly FoundConstraint[];
  readonly indexes: readonly FoundIndex[];
}

export type FoundTables = ReadonlyMap<string, FoundTable>;

interface OfTable {
  readonly table: string;
}

/** Only `names`, if given. Partitions are excluded. */
export async function inspectTables(runner: Runner, schema: string, names?: readonly string[]): Promise<FoundTables> {
  const ask = <T>(sql: string) =>
    query<T & OfTable>(runner, { sql, params: [schema, names === undefined ? null : JSON.stringify(names)] });
  const tables = await ask<Omit<FoundTable, 'name' | 'columns' | 'constraints' | 'indexes'>>(TABLES);
  const columns = await ask<FoundColumn>(COLUMNS);
  const constraints = await ask<FoundConstraint>(CONSTRAINTS);
  const indexes = await ask<FoundIndex>(INDEXES);
  const of = <T extends OfTable>(all: readonly T[], table: string) => all.filter((each) => each.table === table);
  return new Map(
    tables.map(({ table, ...found }) => [
      table,
      {
        name: table,
        ...found,
        columns: of(columns, table).map(withSequence),
        constraints: of(constraints, table),
        indexes: of(indexes, table),
      },
    ]),
  );
}

/** Detects a default that draws from a sequence. */
function withSequence<T extends FoundColumn>(column: T): T {
  const drawn = /^nextval\('((?:[^']|'')+)'::regclass\)$/.exec(column.default ?? '');
  return column.sequence === null && drawn !== null ? { ...column, sequence: drawn[1]!.replaceAll("''", "'") } : column;
}

export interface FoundOwn {
  readonly schemaExists: boolean;
  /** Null if the tables were never ours. */
  readonly version: number | null;
  readonly hasRetries: boolean;
  /** The last applied declaration; null if none is recorded. */
  readonly record: string | null;
}

/** The role of the service may have no right to read them. */
export const NONE_OWN: FoundOwn = { schemaExists: true, version: null, hasRetries: false, record: null };

/** The version of the service's own tables; declared fields are compared one by one. */
export const SCHEMA_VERSION = 1;
export const VERSION_TABLE = 'catalogue_schema';
export const RETRY_TABLE = 'idempotency_keys';

export async function inspectOwn(runner: Runner, schema: string): Promise<FoundOwn> {
  const qualified = (name: string) => `${identifier(schema)}.${identifier(name)}`;
  // Not by to_regclass, which fails for a role without the right to use the schema.
  const exists = (name: string) =>
    `exists (select from pg_catalog.pg_class where relnamespace = found.oid and relname = ${quoteText(name)})`;
  const [there] = await query<{ schema: boolean; version: boolean; retries: boolean; record: boolean }>(runner, {
    sql: `select found.oid is not null as schema, ${exists(VERSION_TABLE)} as version, ${exists(RETRY_TABLE)} as retries,
      ${exists(RECORD_TABLE)} as record from (select) as one
      left join pg_catalog.pg_namespace as found on found.nspname = $1::text`,
    params: [schema],
  });
  const first = async <T>(column: string, name: string) => {
    const sql = `select ${column} as value from ${qualified(name)}`;
    const [row] = await query<{ value: T }>(runner, sql);
    return row?.value ?? null;
  };
  return {
    schemaExists: there!.schema,
    hasRetries: there!.retries,
    version: there!.version ? await first<number>('version', VERSION_TABLE) : null,
    record: there!.record ? await first<string>('declaration', RECORD_TABLE) : null,
  };
}

const OLDEST_SERVER = 140_000;

/** Throws if the server is too old or the database has another encoding. */
export async function checkServer(pool: Runner): Promise<void> {
  const sql = `select current_setting('server_version_num')::int4 as version, current_setting('server_version') as title,
      current_setting('server_encoding') as encoding`;
  const [server] = await query<{ version: number; title: string; encoding: string }>(pool, sql);
  const { version, title, encoding } = server!;
  if (version < OLDEST_SERVER) throw new ConfigError(`PostgreSQL 14 or later is needed, and this is ${title}`);
  if (encoding === 'UTF8') return;
  throw new ConfigError(`the database is encoded in ${encoding}; create one with ENCODING 'UTF8'`);
}
