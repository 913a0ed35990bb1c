/**
 * The privileges of a role of the database, as the rules of a role: descriptions show what the role may use. Also the
 * settings of roles.
 */
import type { Right, RoleDraft } from '../../../collection/draft.ts';
import { query, type Runner } from '../driver.ts';

export type Privileges = RoleDraft;

interface FoundPrivileges {
  readonly name: string;
  readonly deletes: boolean;
  /** The columns by privilege; all of them for a privilege on the table. */
  readonly columns: Readonly<Record<'select' | 'insert' | 'update', readonly string[]>>;
}

const RIGHTS = { select: 'read', insert: 'create', update: 'update' } as const;

const TABLES = `select c.relname::text as name, has_table_privilege($2::text, c.oid, 'delete') as deletes,
    (select json_object_agg(kind, array(select a.attname::text from pg_catalog.pg_attribute a where a.attrelid = c.oid
      and a.attnum > 0 and not a.attisdropped and has_column_privilege($2::text, c.oid, a.attnum, kind) order by a.attnum))
      from unnest(array['select', 'insert', 'update']) as kinds (kind)) as columns
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = $1::text
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition and has_schema_privilege($2::text, n.oid, 'usage')`;

const FUNCTIONS = `select distinct p.proname::text as name
  from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace and n.nspname = $1::text
  where has_function_privilege($2::text, p.oid, 'execute') and has_schema_privilege($2::text, n.oid, 'usage')`;

export async function privilegesOf(runner: Runner, schema: string, role: string): Promise<Privileges> {
  const params = [schema, role];
  const tables = await query<FoundPrivileges>(runner, { sql: TABLES, params });
  const functions = await query<{ name: string }>(runner, { sql: FUNCTIONS, params });
  const rules = tables.flatMap(({ name: collection, columns, deletes }) => {
    const rule = (right: Right, fields?: readonly string[]) => ({ collection, right, ...(fields && { fields }) });
    const byColumn = Object.entries(RIGHTS).map(([kind, right]) => ({
      right,
      fields: columns[kind as keyof typeof RIGHTS],
    }));
    return [
      ...byColumn.flatMap(({ right, fields }) => (fields.length === 0 ? [] : [rule(right, fields)])),
      ...(deletes ? [rule('delete')] : []),
    ];
  });
  return { name: role, rules, call: functions.map(({ name }) => name) };
}

type Settings = Readonly<Record<string, string>>;

/** Settings that apply to the transactions of a role, or to calls of a function (`schema.name`). */
export interface AppliedSettings {
  readonly roles: ReadonlyMap<string, Settings>;
  readonly functions: ReadonlyMap<string, Settings>;
}

/** The settings that the service needs for its own statements. */
const FIXED = ['search_path', 'datestyle', 'intervalstyle', 'bytea_output', 'extra_float_digits', 'client_encoding'];
/** Those of a function that have no effect while it runs. All others PostgreSQL applies itself. */
const OF_TRANSACTION = ['statement_timeout', 'default_transaction_isolation'];
const list = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ');

// Settings of a role apply at login. A statement may not take longer than the service waits for it.
const SETTINGS = `select kind, owner, json_object_agg(s.name, case when s.name <> 'statement_timeout' then given.value
    else (select case when least(ms, $1::float8) > 0 then least(ms, $1::float8) else $1::float8 end::int8::text from (
      select case when given.value ~ '^[0-9]+$' then given.value::float8 else extract(epoch from given.value::interval)::float8 * 1000 end as ms) as limits)
    end order by place) as settings
  from (select 'roles' as kind, r.rolname::text as owner, d.setdatabase::int8 as place, unnest(d.setconfig) as pair
      from pg_catalog.pg_db_role_setting d join pg_catalog.pg_roles r on r.oid = d.setrole
      where pg_has_role(session_user, r.oid, 'member') and d.setdatabase in (0, (select oid from pg_catalog.pg_database where datname = current_database()))
    union all select 'functions', n.nspname || '.' || p.proname, p.oid::int8, unnest(p.proconfig)
      from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace where p.proconfig is not null) as listed
    cross join lateral (select split_part(pair, '=', 1) as name, substr(pair, strpos(pair, '=') + 1) as value) as given
    join pg_catalog.pg_settings s on lower(s.name) = lower(given.name) and s.context = 'user' and lower(s.name) not in (${list(FIXED)})
  where kind = 'roles' or s.name in (${list(OF_TRANSACTION)})
  group by 1, 2`;

/** The settings of functions, and of roles of which this connection's role is a member. */
export async function databaseSettings(runner: Runner, maxStatementMs: number): Promise<AppliedSettings> {
  const params = [maxStatementMs];
  const found = await query<{ kind: string; owner: string; settings: Settings }>(runner, { sql: SETTINGS, params });
  const of = (kind: keyof AppliedSettings) =>
    new Map(found.filter((each) => each.kind === kind).map(({ owner, settings }) => [owner, settings]));
  return { roles: of('roles'), functions: of('functions') };
}
