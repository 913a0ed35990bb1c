-- What the role $2 may do with the tables and views of the schema $1: the columns by privilege.
select c.relname::text as name,
  has_table_privilege($2::text, c.oid, 'delete') as deletes,
  (
    select json_object_agg(kind, array(
      select a.attname::text from pg_catalog.pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        and has_column_privilege($2::text, c.oid, a.attnum, kind)
      order by a.attnum
    ))
    from unnest(array['select', 'insert', 'update']) as kinds (kind)
  ) as columns
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = $1::text
where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition and has_schema_privilege($2::text, n.oid, 'usage')
