/** Inspects a schema through PostgreSQL's catalogs. Read-only, without a declaration. */
import type { OnDelete, WriteMethod } from '../../../collection/draft.ts';
import { ConfigError } from '../../../settings/by-command.ts';
import { RECORD_TABLE } from '../../migration/record.ts';
import { identifier, quoteText } from '../../sql/statement.ts';
import { query, type Runner } from '../driver.ts';

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
  const tables = await ask<Pick<FoundTable, 'comment' | 'isTable' | 'writes' | 'hasInsertTrigger'>>(TABLES);
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

/** The comment, if it has words. */
export function commentOn(description: string): string {
  return `nullif(btrim(${description}, E' \\t\\r\\n'), '') as comment`;
}

const OF_SCHEMA = `pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = $1::text
  and ($2::text is null or c.relname in (select json_array_elements_text($2::text::json)))
  and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition`;

// The bits of tgtype: 1 for each row, 2 before, 4 insert. Those of pg_relation_is_updatable: 8 insert, 4 update, 16
// delete.
const TABLES = `select c.relname::text as table, ${commentOn("obj_description(c.oid, 'pg_class')")}, c.relkind in ('r', 'p') as "isTable",
  case when c.relkind not in ('r', 'p') then (select coalesce(json_agg(method), '[]') from (values (8, 'POST'), (4, 'PATCH'), (16, 'DELETE'))
    as possible (bit, method) where pg_relation_is_updatable(c.oid, true) & bit = bit) end as writes, exists (select from pg_catalog.pg_trigger t
    where t.tgrelid = c.oid and not t.tgisinternal and t.tgenabled <> 'D' and t.tgtype & 7 = 7) as "hasInsertTrigger"
  from ${OF_SCHEMA} order by 1`;

const COLUMNS = `select c.relname::text as table, a.attname::text as name, ${commentOn('col_description(c.oid, a.attnum)')},
    case when t.typtype = 'd' then format_type(t.typbasetype, t.typtypmod) else format_type(a.atttypid, a.atttypmod) end as type,
    case when own.casts is not null then format_type(t.oid, null) end as domain, own.casts,
    (select json_agg(e.enumlabel::text order by e.enumsortorder) from pg_catalog.pg_enum e where e.enumtypid in (t.oid, t.typbasetype)) as labels,
    a.attnotnull or t.typnotnull as required, coalesce(pg_get_expr(d.adbin, d.adrelid), pg_get_expr(t.typdefaultbin, 0)) as default, a.attgenerated <> '' or (c.relkind not in ('r', 'p') and not pg_column_is_updatable(c.oid, a.attnum, true) and not exists (
      select from pg_catalog.pg_trigger g where g.tgrelid = c.oid and g.tgtype & 64 = 64) and not exists (
      select from pg_catalog.pg_rewrite w where w.ev_class = c.oid and w.ev_type in ('2', '3') and w.is_instead)) as "isComputed",
    case a.attidentity when 'a' then 'always' when 'd' then 'by default' end as identity,
    (select format('%I.%I', sn.nspname, s.relname) from pg_catalog.pg_depend o join pg_catalog.pg_class s on s.oid = o.objid and s.relkind = 'S'
      join pg_catalog.pg_namespace sn on sn.oid = s.relnamespace where o.classid = 'pg_class'::regclass and o.refclassid = 'pg_class'::regclass
        and o.refobjid = c.oid and o.refobjsubid = a.attnum and o.deptype in ('a', 'i') limit 1) as sequence
  from ${OF_SCHEMA} join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_catalog.pg_type t on t.oid = a.atttypid
    left join pg_catalog.pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    left join lateral (select json_object_agg(k.kind, format('%I.%I', pn.nspname, p.proname)) as casts
      from (select castfunc, case when castsource = t.oid and casttarget = 'json'::regtype then 'toJson'
          when casttarget = t.oid and castsource = 'json'::regtype then 'fromJson'
          when casttarget = t.oid and castsource = 'text'::regtype then 'fromText' end as kind from pg_catalog.pg_cast) as k
        join pg_catalog.pg_proc p on p.oid = k.castfunc join pg_catalog.pg_namespace pn on pn.oid = p.pronamespace
      where t.typtype = 'd' and k.kind is not null) as own on true
  order by 1, a.attnum`;

const namesOf = (table: string, numbers: string) => `to_json(array(select a.attname::text
    from unnest(${numbers}) with ordinality as listed (num, nth)
      join pg_catalog.pg_attribute a on a.attrelid = ${table} and a.attnum = listed.num
    order by nth))`;

const CONSTRAINTS = `select c.relname::text as table, k.conname::text as name,
    case k.contype when 'p' then 'primary key' when 'u' then 'unique' when 'f' then 'foreign key' when 'c' then 'check' else 'other' end as kind,
    ${namesOf('k.conrelid', 'k.conkey')} as columns, pg_get_constraintdef(k.oid) as definition,
    case when k.contype = 'f' then json_build_object('schema', tn.nspname, 'table', t.relname,
      'columns', ${namesOf('k.confrelid', 'k.confkey')},
      'onDelete', case k.confdeltype when 'a' then 'restrict' when 'r' then 'restrict' when 'c' then 'cascade' when 'n' then 'set null' end)
    end as to
  from ${OF_SCHEMA} join pg_catalog.pg_constraint k on k.conrelid = c.oid
    left join pg_catalog.pg_class t on t.oid = k.confrelid left join pg_catalog.pg_namespace tn on tn.oid = t.relnamespace
  where k.contype in ('p', 'u', 'f', 'c', 'x') order by 1, 2`;

const INDEXES = `select c.relname::text as table, o.relname::text as name, i.indisunique as "isUnique",
    i.indpred is null and i.indimmediate as "isWhole",
    case when i.indexprs is null then ${namesOf('i.indrelid', 'i.indkey[0:i.indnkeyatts - 1]')} end as columns
  from ${OF_SCHEMA} join pg_catalog.pg_index i on i.indrelid = c.oid join pg_catalog.pg_class o on o.oid = i.indexrelid
  where i.indisvalid order by 1, 2`;

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
