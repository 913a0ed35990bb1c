-- The functions of the schema $1 that can be called: not those of triggers and extensions, aggregates and procedures.
-- A domain over a row type counts as the row type. Input parameters have the modes i, b and v, outputs o, b and t.
select p.proname::text as name,
  nullif(btrim(obj_description(p.oid, 'pg_proc'), E' \t\r\n'), '') as comment,
  p.proretset as many,
  p.prorows::int4 as rows,
  case p.provolatile when 'v' then 'volatile' when 's' then 'stable' else 'immutable' end as volatility,
  coalesce(listed.parameters, '[]') as parameters,
  coalesce(listed.outputs, '[]') as outputs,
  format_type(t.oid, null) as type,
  case when d.typtype = 'd' and strpos(d.typname, '/') > 0 then d.typname::text end as "mediaType",
  case
    when c.relkind in ('r', 'v', 'm', 'f', 'p') and c.relnamespace = p.pronamespace then c.relname::text
  end as table,
  coalesce((
    select json_agg(
      json_build_object('name', a.attname::text, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum
    )
    from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  ), '[]') as columns
from pg_catalog.pg_proc p
join pg_catalog.pg_namespace n on n.oid = p.pronamespace and n.nspname = $1::text
join pg_catalog.pg_type d on d.oid = p.prorettype
join pg_catalog.pg_type t on t.oid = case when d.typtype = 'd' then d.typbasetype else d.oid end
left join pg_catalog.pg_class c on c.oid = t.typrelid and t.typtype = 'c'
cross join lateral (
  select json_agg(shown order by place) filter (where mode in ('i', 'b', 'v')) as parameters,
    json_agg(shown order by place) filter (where mode in ('o', 'b', 't')) as outputs
  from (
    select a.place, a.mode, json_build_object(
      'name', coalesce(a.name, ''),
      'type', format_type(a.type, null),
      'variadic', a.mode = 'v',
      'table', (
        select r.relname::text from pg_catalog.pg_type y join pg_catalog.pg_class r on r.oid = y.typrelid
        where y.oid = a.type and r.relkind in ('r', 'v', 'm', 'f', 'p') and r.relnamespace = p.pronamespace
      ),
      'optional', a.nth > p.pronargs - p.pronargdefaults
    ) as shown
    from (
      select *, count(*) filter (where mode in ('i', 'b', 'v')) over (order by place) as nth
      from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargnames, p.proargmodes::text[])
        with ordinality as given (type, name, given_mode, place)
      cross join lateral (select coalesce(given.given_mode, 'i')) as moded (mode)
    ) as a
  ) as arguments
) as listed
where p.prokind = 'f' and d.oid not in ('trigger'::regtype, 'event_trigger'::regtype)
  and not exists (select from pg_catalog.pg_depend e where e.objid = p.oid and e.deptype = 'e')
order by 1, p.oid
