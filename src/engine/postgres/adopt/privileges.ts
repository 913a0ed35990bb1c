/** The privileges of a role of the database, as the rules of a role: descriptions show what the role may use. */
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
