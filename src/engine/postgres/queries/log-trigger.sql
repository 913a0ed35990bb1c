declare
  context text := current_setting('{request}', true);
  request json;
  old_row json;
  new_row json;
  old_key text;
  new_key text;
begin
  if context = '{silent}' then
    return null;
  end if;
  -- The lock is taken once for each transaction, before its first position. Assignments are faster than `perform`,
  -- which runs a query.
  if current_setting('{lock}', true) is distinct from {key}::text then
    old_key := pg_advisory_xact_lock_shared(
      {key}::int4, (coalesce(pg_sequence_last_value({sequence}), 0) & {bits})::int4
    )::text;
    old_key := set_config('{lock}', {key}::text, true);
  end if;
  if context <> '' then
    request := context;
  end if;
  if tg_op = 'TRUNCATE' then
    for old_row in execute format('select row_to_json(r.*) from only %s as r', tg_relid::regclass) loop
      insert into {log} (at, actor, role, request_id, collection, key, kind, old, new)
      select clock_timestamp(), request ->> 'actor', request ->> 'role', request ->> 'request', tg_table_name,
        {key of old_row}, 'delete', old_row, null;
    end loop;
    return null;
  elsif tg_op = 'INSERT' and request ->> 'table' = tg_table_name then
    -- Rows of several requests. What the statement writes to other tables has no known origin.
    insert into {log} (at, actor, role, request_id, collection, key, kind, old, new)
    select clock_timestamp(), origin ->> 'actor', origin ->> 'role', origin ->> 'request', tg_table_name,
      {key of row}, 'insert', null, row
    from (
      select row_to_json(r.*) as row, request -> '{origins}' -> (row_number() over () - 1)::int4 as origin
      from new_rows as r
    ) as changed;
    return null;
  -- With a key of one field, a statement of its own: the subquery of a longer key costs time even if it does not run.
  elsif tg_op = 'INSERT' and tg_nargs = 1 then
    insert into {log} (at, actor, role, request_id, collection, key, kind, old, new)
    select clock_timestamp(), request ->> 'actor', request ->> 'role', request ->> 'request', tg_table_name,
      row ->> tg_argv[0], 'insert', null, row
    from (select row_to_json(r.*) as row from new_rows as r) as changed;
    return null;
  elsif tg_op = 'INSERT' then
    insert into {log} (at, actor, role, request_id, collection, key, kind, old, new)
    select clock_timestamp(), request ->> 'actor', request ->> 'role', request ->> 'request', tg_table_name,
      {key of row}, 'insert', null, row
    from (select row_to_json(r.*) as row from new_rows as r) as changed;
    return null;
  elsif tg_op = 'DELETE' and tg_nargs = 1 then
    insert into {log} (at, actor, role, request_id, collection, key, kind, old, new)
    select clock_timestamp(), request ->> 'actor', request ->> 'role', request ->> 'request', tg_table_name,
      row ->> tg_argv[0], 'delete', row, null
    from (select row_to_json(r.*) as row from old_rows as r) as changed;
    return null;
  elsif tg_op = 'DELETE' then
    insert into {log} (at, actor, role, request_id, collection, key, kind, old, new)
    select clock_timestamp(), request ->> 'actor', request ->> 'role', request ->> 'request', tg_table_name,
      {key of row}, 'delete', row, null
    from (select row_to_json(r.*) as row from old_rows as r) as changed;
    return null;
  end if;
  old_row := row_to_json(old);
  new_row := row_to_json(new);
  old_key := {key of old_row};
  new_key := {key of new_row};
  if old_row::text = new_row::text then
    -- An update that changes nothing has an entry of no collection: otherwise positions would reveal whether a write
    -- changed a field that the writer cannot read.
    insert into {log} (at, collection, key, kind) values (clock_timestamp(), '', '', '');
  elsif old_key = new_key then
    insert into {log} (at, actor, role, request_id, collection, key, kind, old, new)
    select clock_timestamp(), request ->> 'actor', request ->> 'role', request ->> 'request', tg_table_name,
      new_key, 'update', old_row, new_row;
  else
    insert into {log} (at, actor, role, request_id, collection, key, kind, old, new)
    select clock_timestamp(), request ->> 'actor', request ->> 'role', request ->> 'request', tg_table_name,
      old_key, 'delete', old_row, null;
    insert into {log} (at, actor, role, request_id, collection, key, kind, old, new)
    select clock_timestamp(), request ->> 'actor', request ->> 'role', request ->> 'request', tg_table_name,
      new_key, 'insert', null, new_row;
  end if;
  return null;
end
