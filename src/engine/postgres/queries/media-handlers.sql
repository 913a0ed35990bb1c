-- Aggregates of the schema $1 that print rows: their result is a domain with the name of a media type. Those of a table
-- come first.
select d.typname::text as "mediaType",
  format('%I.%I', n.nspname, p.proname) as aggregate,
  d.typbasetype = 'bytea'::regtype as "isBinary",
  c.relname::text as table
from pg_catalog.pg_proc p
join pg_catalog.pg_namespace n on n.oid = p.pronamespace and n.nspname = $1::text
join pg_catalog.pg_type d on d.oid = p.prorettype and d.typtype = 'd' and strpos(d.typname, '/') > 0
left join pg_catalog.pg_class c on c.reltype = p.proargtypes[0] and c.relnamespace = n.oid
where p.prokind = 'a' and p.pronargs = 1 and (c.oid is not null or p.proargtypes[0] = 'anyelement'::regtype)
order by c.oid is null, p.oid
