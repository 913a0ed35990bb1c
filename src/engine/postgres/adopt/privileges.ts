/**
 * The privileges of a role of the database, as the rules of a role: descriptions show what the role may use. Also the
 * settings of roles.
 */
import type { Right, RoleDraft } from '../../../collection/draft.ts';
import { query, type Runner } from '../driver.ts';
import SETTINGS from '../queries/settings.sql' with { type: 'text' };
import TABLES from '../queries/table-privileges.sql' with { type: 'text' };

export type Privileges = RoleDraft;

interface FoundPrivileges {
  readonly name: string;
  readonly deletes: boolean;
  /** The columns by privilege; all of them for a privilege on the table. */
  readonly columns: Readonly<Record<'select' | 'insert' | 'update', readonly string[]>>;
}

const RIGHTS = { select: 'read', insert: 'create', update: 'update' } as const;

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

/** The settings of functions, and of roles of which this connection's role is a member. */
export async function databaseSettings(runner: Runner, maxStatementMs: number): Promise<AppliedSettings> {
  const params = [maxStatementMs];
  const found = await query<{ kind: string; owner: string; settings: Settings }>(runner, { sql: SETTINGS, params });
  const of = (kind: keyof AppliedSettings) =>
    new Map(found.filter((each) => each.kind === kind).map(({ owner, settings }) => [owner, settings]));
  return { roles: of('roles'), functions: of('functions') };
}

const MISSING = `select 'role' as kind, $1::text as name
    where $1::text <> '' and not exists (select from pg_catalog.pg_roles where rolname = $1::text)
  union all select 'schema', name from json_array_elements_text($2::text::json) as names (name)
    where not exists (select from pg_catalog.pg_namespace where nspname = name)`;

/** The role and the schemas of the settings that do not exist. An empty role means none. */
export function missingNames(
  runner: Runner,
  role: string,
  schemas: readonly string[],
): Promise<readonly MissingName[]> {
  return query<MissingName>(runner, { sql: MISSING, params: [role, JSON.stringify(schemas)] });
}

interface MissingName {
  readonly kind: 'role' | 'schema';
  readonly name: string;
}
