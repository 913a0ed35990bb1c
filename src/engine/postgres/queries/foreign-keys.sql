-- All foreign keys, with the columns of both sides by name and as `table oid.number`.
select k.name, k.served, k.table, k."toServed", k."toTable", k."onDelete",
  json_agg(own.attname order by nth) as fields,
  json_agg(other.attname order by nth) as "toFields",
  json_agg(k.conrelid || '.' || num order by nth) as "from",
  json_agg(k.confrelid || '.' || to_num order by nth) as "to"
from (
  select k.*, k.conname::text as name, n.nspname = $1::text as served, c.relname::text as table,
    tn.nspname = $1::text as "toServed", t.relname::text as "toTable",
    case k.confdeltype
      when 'a' then 'restrict' when 'r' then 'restrict' when 'c' then 'cascade' when 'n' then 'set null'
    end as "onDelete"
  from pg_catalog.pg_constraint k
  join pg_catalog.pg_class c on c.oid = k.conrelid
  join pg_catalog.pg_class t on t.oid = k.confrelid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_namespace tn on tn.oid = t.relnamespace
  where k.contype = 'f' and k.conparentid = 0
) as k
cross join lateral unnest(k.conkey, k.confkey) with ordinality as listed (num, to_num, nth)
join pg_catalog.pg_attribute own on own.attrelid = k.conrelid and own.attnum = num
join pg_catalog.pg_attribute other on other.attrelid = k.confrelid and other.attnum = to_num
group by k.oid, 1, 2, 3, 4, 5, 6
order by 1, 3
