-- The tables and views of the schema $1, or those named in the JSON list $2. Partitions are excluded.
-- The bits of pg_relation_is_updatable: 8 insert, 4 update, 16 delete. Those of tgtype: 1 for each row, 2 before,
-- 4 insert.
select c.relname::text as table,
  nullif(btrim(obj_description(c.oid, 'pg_class'), E' \t\r\n'), '') as comment,
  c.relkind in ('r', 'p') as "isTable",
  c.relkind = 'v' and pg_relation_is_updatable(c.oid, false) & 4 = 4 as "isUpdatableView",
  case when c.relkind not in ('r', 'p') then (
    select coalesce(json_agg(method), '[]')
    from (values (8, 'POST'), (4, 'PATCH'), (16, 'DELETE')) as possible (bit, method)
    where pg_relation_is_updatable(c.oid, true) & bit = bit
  ) end as writes,
  exists (
    select from pg_catalog.pg_trigger t
    where t.tgrelid = c.oid and not t.tgisinternal and t.tgenabled <> 'D' and t.tgtype & 7 = 7
  ) as "hasInsertTrigger"
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = $1::text
  and ($2::text is null or c.relname in (select json_array_elements_text($2::text::json)))
  and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
order by 1
