-- A text that changes with every definition in the schemas of the JSON list $1. PostgreSQL writes a new row version for
-- each change, with another xmin.
with served as (
  select oid, xmin from pg_catalog.pg_namespace where nspname in (select json_array_elements_text($1::text::json))
),
relations as (
  select c.oid, c.xmin from pg_catalog.pg_class c join served on served.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f')
),
functions as (
  select p.oid, p.xmin from pg_catalog.pg_proc p join served on served.oid = p.pronamespace
)
select md5(string_agg(row, ',' order by row)) as definitions from (
  select oid::text || '.' || xmin::text as row from relations
  union all select x.attrelid || '.' || x.attnum || '.' || x.xmin::text
    from pg_catalog.pg_attribute x join relations on relations.oid = x.attrelid
  union all select x.oid || '.' || x.xmin::text
    from pg_catalog.pg_attrdef x join relations on relations.oid = x.adrelid
  union all select x.oid || '.' || x.xmin::text
    from pg_catalog.pg_constraint x join served on served.oid = x.connamespace
  union all select x.indexrelid || '.' || x.xmin::text
    from pg_catalog.pg_index x join relations on relations.oid = x.indrelid
  union all select x.oid || '.' || x.xmin::text
    from pg_catalog.pg_trigger x join relations on relations.oid = x.tgrelid
  union all select x.oid || '.' || x.xmin::text
    from pg_catalog.pg_rewrite x join relations on relations.oid = x.ev_class
  union all select oid || '.' || xmin::text from functions
  union all select x.oid || '.' || x.xmin::text
    from pg_catalog.pg_type x join served on served.oid = x.typnamespace
  union all select x.objoid || '.' || x.objsubid || '.' || x.xmin::text
    from pg_catalog.pg_description x join relations on relations.oid = x.objoid and x.classoid = 'pg_class'::regclass
  union all select x.objoid || '.' || x.xmin::text
    from pg_catalog.pg_description x join functions on functions.oid = x.objoid and x.classoid = 'pg_proc'::regclass
  union all select oid || '.' || xmin::text from served
  union all select g.setrole || '.' || g.setdatabase || '.' || g.xmin::text from pg_catalog.pg_db_role_setting g
  union all select e.oid || '.' || e.xmin::text from pg_catalog.pg_enum e
  union all select k.oid || '.' || k.xmin::text from pg_catalog.pg_cast k
  union all select m.roleid || '.' || m.member || '.' || m.xmin::text from pg_catalog.pg_auth_members m
) as definition
