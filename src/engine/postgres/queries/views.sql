-- All views, and whether the schema $1 has them, with their stored queries and the names of their columns by number.
select c.oid::text as oid,
  n.nspname = $1::text as served,
  c.relname::text as name,
  r.ev_action::text as tree,
  (
    select json_object_agg(a.attnum, a.attname) from pg_catalog.pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0
  ) as columns
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join pg_catalog.pg_rewrite r on r.ev_class = c.oid and r.rulename = '_RETURN'
where c.relkind in ('v', 'm') and n.nspname not in ('pg_catalog', 'information_schema')
