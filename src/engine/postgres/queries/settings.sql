-- The settings of roles of which this connection's role is a member, and of functions (`schema.name`).
-- Not those that the service needs for its own statements. Of a function, only those that have no effect while it runs:
-- all others PostgreSQL applies itself. Settings of a role apply at login. No statement may take longer than $1 ms, for
-- which the service waits.
select kind, owner, json_object_agg(s.name, case when s.name <> 'statement_timeout' then given.value else (
    select case when least(ms, $1::float8) > 0 then least(ms, $1::float8) else $1::float8 end::int8::text
    from (
      select case
        when given.value ~ '^[0-9]+$' then given.value::float8
        else extract(epoch from given.value::interval)::float8 * 1000
      end as ms
    ) as limits
  ) end order by place) as settings
from (
  select 'roles' as kind, r.rolname::text as owner, d.setdatabase::int8 as place, unnest(d.setconfig) as pair
  from pg_catalog.pg_db_role_setting d
  join pg_catalog.pg_roles r on r.oid = d.setrole
  where pg_has_role(session_user, r.oid, 'member')
    and d.setdatabase in (0, (select oid from pg_catalog.pg_database where datname = current_database()))
  union all
  select 'functions', n.nspname || '.' || p.proname, p.oid::int8, unnest(p.proconfig)
  from pg_catalog.pg_proc p
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  where p.proconfig is not null
) as listed
cross join lateral (
  select split_part(pair, '=', 1) as name, substr(pair, strpos(pair, '=') + 1) as value
) as given
join pg_catalog.pg_settings s on lower(s.name) = lower(given.name) and s.context = 'user' and lower(s.name) not in (
  'search_path', 'datestyle', 'intervalstyle', 'bytea_output', 'extra_float_digits', 'client_encoding'
)
where kind = 'roles' or s.name in ('statement_timeout', 'default_transaction_isolation')
group by 1, 2
