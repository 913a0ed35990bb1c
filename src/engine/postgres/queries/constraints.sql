-- The constraints of the tables of tables.sql, with the names of their columns in order.
select c.relname::text as table,
  k.conname::text as name,
  case k.contype
    when 'p' then 'primary key' when 'u' then 'unique' when 'f' then 'foreign key' when 'c' then 'check' else 'other'
  end as kind,
  to_json(array(
    select a.attname::text from unnest(k.conkey) with ordinality as listed (num, nth)
    join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = listed.num
    order by nth
  )) as columns,
  pg_get_constraintdef(k.oid) as definition,
  case when k.contype = 'f' then json_build_object(
    'schema', tn.nspname,
    'table', t.relname,
    'columns', to_json(array(
      select a.attname::text from unnest(k.confkey) with ordinality as listed (num, nth)
      join pg_catalog.pg_attribute a on a.attrelid = k.confrelid and a.attnum = listed.num
      order by nth
    )),
    'onDelete', case k.confdeltype
      when 'a' then 'restrict' when 'r' then 'restrict' when 'c' then 'cascade' when 'n' then 'set null'
    end
  ) end as to
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = $1::text
  and ($2::text is null or c.relname in (select json_array_elements_text($2::text::json)))
  and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
join pg_catalog.pg_constraint k on k.conrelid = c.oid
left join pg_catalog.pg_class t on t.oid = k.confrelid
left join pg_catalog.pg_namespace tn on tn.oid = t.relnamespace
where k.contype in ('p', 'u', 'f', 'c', 'x')
order by 1, 2
