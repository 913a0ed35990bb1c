-- The tables of the schema $1, among those of the JSON list $2, whose policies the role of this connection bypasses.
select c.relname::text as name,
  r.rolname::text as role,
  case when r.rolsuper then 'is a superuser' when r.rolbypassrls then 'has BYPASSRLS' else 'owns them' end as reason
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = $1::text
join pg_catalog.pg_roles r on r.rolname = current_user
where c.relkind in ('r', 'p') and c.relrowsecurity and not row_security_active(c.oid)
  and c.relname in (select json_array_elements_text($2::text::json))
order by 1
