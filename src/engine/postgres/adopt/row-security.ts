/** Row level security of PostgreSQL, which does not protect the rows if the role of the service bypasses it. */
import { query, type Runner } from '../driver.ts';

/** Returns a warning that names the tables whose policies the role of this connection bypasses, or undefined. */
export async function bypassedRowSecurity(
  runner: Runner,
  schema: string,
  tables: readonly string[],
): Promise<string | undefined> {
  const sql = `select c.relname::text as name, r.rolname::text as role,
        case when r.rolsuper then 'is a superuser' when r.rolbypassrls then 'has BYPASSRLS' else 'owns them' end as reason
      from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = $1::text
        join pg_catalog.pg_roles r on r.rolname = current_user
      where c.relkind in ('r', 'p') and c.relrowsecurity and not row_security_active(c.oid)
        and c.relname in (select json_array_elements_text($2::text::json)) order by 1`;
  const bypasses = await query<Record<'name' | 'role' | 'reason', string>>(runner, {
    sql,
    params: [schema, JSON.stringify(tables)],
  });
  if (bypasses.length === 0) return undefined;
  const { role, reason } = bypasses[0]!;
  const remedy = reason === 'owns them' ? ', or run ALTER TABLE … FORCE ROW LEVEL SECURITY' : '';
  const names = bypasses.map(({ name }) => name).join(', ');
  return `row level security does not apply to ${names}: the role ${role} ${reason}. The service shows and changes all of their rows. Connect as a role without these rights${remedy}, or declare roles`;
}
