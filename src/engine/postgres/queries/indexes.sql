-- The valid indexes of the tables of tables.sql. The columns are null for an index on an expression.
select c.relname::text as table,
  o.relname::text as name,
  i.indisunique as "isUnique",
  i.indpred is null and i.indimmediate as "isWhole",
  case when i.indexprs is null then to_json(array(
    select a.attname::text from unnest(i.indkey[0:i.indnkeyatts - 1]) with ordinality as listed (num, nth)
    join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = listed.num
    order by nth
  )) end as columns
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = $1::text
  and ($2::text is null or c.relname in (select json_array_elements_text($2::text::json)))
  and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
join pg_catalog.pg_index i on i.indrelid = c.oid
join pg_catalog.pg_class o on o.oid = i.indexrelid
where i.indisvalid
order by 1, 2
