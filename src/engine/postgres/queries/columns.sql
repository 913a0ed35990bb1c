-- The columns of the tables of tables.sql. A domain counts as its base type, unless it has casts of its own.
-- A trigger instead of writes (the bit 64 of tgtype) or a rule may write a column of a view that is not updatable.
select c.relname::text as table,
  a.attname::text as name,
  nullif(btrim(col_description(c.oid, a.attnum), E' \t\r\n'), '') as comment,
  case
    when t.typtype = 'd' then format_type(t.typbasetype, t.typtypmod)
    else format_type(a.atttypid, a.atttypmod)
  end as type,
  case when own.casts is not null then format_type(t.oid, null) end as domain,
  own.casts,
  (
    select json_agg(e.enumlabel::text order by e.enumsortorder) from pg_catalog.pg_enum e
    where e.enumtypid in (t.oid, t.typbasetype)
  ) as labels,
  a.attnotnull or t.typnotnull as required,
  coalesce(pg_get_expr(d.adbin, d.adrelid), pg_get_expr(t.typdefaultbin, 0)) as default,
  a.attgenerated <> '' or (
    c.relkind not in ('r', 'p') and not pg_column_is_updatable(c.oid, a.attnum, true)
    and not exists (select from pg_catalog.pg_trigger g where g.tgrelid = c.oid and g.tgtype & 64 = 64)
    and not exists (
      select from pg_catalog.pg_rewrite w where w.ev_class = c.oid and w.ev_type in ('2', '3') and w.is_instead
    )
  ) as "isComputed",
  case a.attidentity when 'a' then 'always' when 'd' then 'by default' end as identity,
  (
    select format('%I.%I', sn.nspname, s.relname) from pg_catalog.pg_depend o
    join pg_catalog.pg_class s on s.oid = o.objid and s.relkind = 'S'
    join pg_catalog.pg_namespace sn on sn.oid = s.relnamespace
    where o.classid = 'pg_class'::regclass and o.refclassid = 'pg_class'::regclass
      and o.refobjid = c.oid and o.refobjsubid = a.attnum and o.deptype in ('a', 'i')
    limit 1
  ) as sequence
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = $1::text
  and ($2::text is null or c.relname in (select json_array_elements_text($2::text::json)))
  and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
join pg_catalog.pg_type t on t.oid = a.atttypid
left join pg_catalog.pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
left join lateral (
  select json_object_agg(k.kind, format('%I.%I', pn.nspname, p.proname)) as casts
  from (
    select castfunc, case
      when castsource = t.oid and casttarget = 'json'::regtype then 'toJson'
      when casttarget = t.oid and castsource = 'json'::regtype then 'fromJson'
      when casttarget = t.oid and castsource = 'text'::regtype then 'fromText'
    end as kind
    from pg_catalog.pg_cast
  ) as k
  join pg_catalog.pg_proc p on p.oid = k.castfunc
  join pg_catalog.pg_namespace pn on pn.oid = p.pronamespace
  where t.typtype = 'd' and k.kind is not null
) as own on true
order by 1, a.attnum
