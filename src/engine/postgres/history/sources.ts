/** The log of changes as tables of a statement, in PostgreSQL's SQL. */
import type { Collection, Field } from '../../../collection/declaration.ts';
import type { LogView } from '../../../plan/types.ts';
import { LOG_TABLE } from '../../shared/change-log.ts';
import { logColumns } from '../../sql/log-source.ts';
import { scopeOf } from '../../sql/read.ts';
import { type Bind, columnList, identifier, quoteText, type SqlDialect } from '../../sql/statement.ts';
import { literal } from '../schema/schema.ts';
import { keySql } from './triggers.ts';

/** The fields of a logged row. A row from before a field existed has its default. */
function rowOf({ name, fields }: Collection, row: string): string {
  const columns = fields.map(({ name: field, default: value, type }) => {
    const column = `stored.${identifier(field)}`;
    if (value === undefined) return column;
    return `case when ${row} -> ${quoteText(field)} is null then ${literal(value, type)} else ${column} end as ${identifier(field)}`;
  });
  return `select ${columns.join(', ')} from json_populate_record(null::${identifier(name)}, ${row}) as stored`;
}

/** The rows of a collection after the change at this position: the current ones, with all later changes undone. */
export function rowsAsOf(collection: Collection, seq: number, bind: Bind): string {
  const { name, fields } = collection;
  const table = identifier(name);
  const since = `${bind(String(seq))}::int8`;
  const later = `from ${LOG_TABLE} as log where log.seq > ${since} and log.collection = ${quoteText(name)}`;
  const key = keySql(collection, (field: Field) => `${table}.${identifier(field.name)}`);
  return `${table} as not materialized (select ${columnList(fields)} from ${table} where not exists (select ${later} and log.key = ${key})
    union all select earlier.* from (select distinct on (log.key) log.old ${later} order by log.key, log.seq) as log
      cross join lateral (${rowOf(collection, 'log.old')}) as earlier where log.old is not null)`;
}

/** The entries of each collection, up to a position. */
export function changesSource(
  views: readonly LogView[],
  name: string,
  upTo: number,
  dialect: SqlDialect,
  bind: Bind,
): string {
  // PostgreSQL rejects a parameter that nothing uses.
  const until = views.length === 0 ? '' : `${bind(String(upTo))}::int8`;
  const arms = views.map((view) => {
    const { collection } = view;
    const columns = logColumns(view, {
      old: scopeOf(dialect, bind, ' old row'),
      now: scopeOf(dialect, bind, ' new row'),
      listOfTexts: (texts) => `to_json(array[${texts.join(', ')}])::text`,
      concat: (texts) => `(${texts.join(' || ')})`,
    });
    return `select log.seq, log.at, log.actor, log.role, log.request_id, log.collection, ${columns.key} as key, ${columns.kind} as kind,
        (${columns.before})::jsonb as before, (${columns.after})::jsonb as after
      from ${LOG_TABLE} as log left join lateral (${rowOf(collection, 'log.old')}) as " old row" on true
        left join lateral (${rowOf(collection, 'log.new')}) as " new row" on true
      where log.seq <= ${until} and log.collection = ${quoteText(collection.name)} and ${columns.condition}`;
  });
  return `${identifier(name)} as not materialized (${arms.join(' union all ') || EMPTY})`;
}

const EMPTY = `select seq, at, actor, role, request_id, collection, key, kind, old::jsonb as before, new::jsonb as after from ${LOG_TABLE} where false`;
