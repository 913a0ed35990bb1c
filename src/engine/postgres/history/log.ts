/** The log of changes: its positions, statements over it, and old entries to prune. It is read on the primary. */
import type { Collection, Field } from '../../../collection/declaration.ts';
import { changingCollections } from '../../../plan/access/named-fields.ts';
import type { LogView, ReadPlan } from '../../../plan/types.ts';
import type { Origin } from '../../../plan/write-plan.ts';
import type { ChangeLog, LogPosition } from '../../engine.ts';
import { LOG_TABLE, notLogged, positionAtSql, RETAINED_TABLE, UNCHANGED_HOURS } from '../../shared/change-log.ts';
import { columnByCollection, type LogColumns, logColumns, needsRow, withSources } from '../../sql/log-source.ts';
import { scopeOf } from '../../sql/read.ts';
import { type Bind, columnList, identifier, quoteText, type SqlDialect, type Statement } from '../../sql/statement.ts';
import { TEXT } from '../dialect.ts';
import { query, type Runner } from '../driver.ts';
import { literal } from '../schema/computed.ts';
import { Pruner } from '../write/pruner.ts';
import { keySql, positionSql, REQUEST_SETTING, SILENT } from './triggers.ts';

export async function lastPosition(runner: Runner, schema: string): Promise<LogPosition> {
  const [found] = await query<{ seq: string; at: string }>(runner, positionSql(schema));
  return { seq: Number(found!.seq), at: found!.at };
}

export class PostgresLog implements ChangeLog {
  /** The last position, when it was last read. */
  newest = 0;

  /** `logged` is known when the primary is found. Without any, there is no table of the log. */
  constructor(
    private readonly schema: string,
    private readonly logged: () => ReadonlySet<string>,
    private readonly onPrimary: <T>(work: (runner: Runner) => Promise<T>) => Promise<T>,
  ) {}

  async position(): Promise<LogPosition> {
    const last = await this.onPrimary((runner) => {
      if (this.logged().size === 0) throw notLogged();
      return lastPosition(runner, this.schema);
    });
    this.newest = last.seq;
    return last;
  }

  async timesAt(seq: number): Promise<readonly string[]> {
    const at = (table: string) => `select to_json(at) #>> '{}' as at from ${table} where seq = $1::text::int8`;
    const sql = `${at(LOG_TABLE)} union all ${at(RETAINED_TABLE)}`;
    return (await this.ask<{ at: string }>({ sql, params: [String(seq)] })).map((found) => found.at);
  }

  async oldest(collections: readonly Collection[]): Promise<LogPosition | undefined> {
    const names = [...new Set(collections.map(({ name }) => name))];
    const statement = {
      sql: `select count(*)::int4 as count, max(seq)::text as seq, to_json(max(at)) #>> '{}' as at from ${RETAINED_TABLE}
        where collection in (select json_array_elements_text($1::text::json))`,
      params: [JSON.stringify(names)],
    };
    const [found] = await this.onPrimary(async (runner) => {
      if (!names.every((name) => this.logged().has(name))) return [];
      return query<{ count: number; seq: string; at: string }>(runner, statement);
    });
    return found?.count === names.length ? { seq: Number(found.seq), at: found.at } : undefined;
  }

  async positionAt(time: string): Promise<number> {
    const { seq: upTo } = await this.position();
    const sql = positionAtSql('$1::text::timestamptz', '$2::text::int8');
    const [found] = await this.ask<{ seq: string }>({ sql, params: [time, String(upTo)] });
    return Number(found!.seq);
  }

  private ask<T>(statement: Statement): Promise<T[]> {
    return this.onPrimary((runner) => query<T>(runner, statement));
  }
}

export function logDialect(
  dialect: SqlDialect,
  plan: ReadPlan,
  position: number,
  logged: ReadonlySet<string>,
): SqlDialect {
  const { log, from } = plan;
  if (log !== undefined) {
    const views = log.filter(({ collection }) => logged.has(collection.name));
    return withSources(dialect, (bind) => changesSource(views, from.name, position, dialect, bind));
  }
  const collections = changingCollections(plan);
  return withSources(dialect, (bind) => collections.map((each) => rowsAsOf(each, position, bind)).join(', '));
}

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
function rowsAsOf(collection: Collection, seq: number, bind: Bind): string {
  const { name, fields } = collection;
  const table = identifier(name);
  const since = `${bind(String(seq))}::int8`;
  const later = `from ${LOG_TABLE} as log where log.seq > ${since} and log.collection = ${quoteText(name)}`;
  const key = keySql(collection, (field: Field) => `${table}.${identifier(field.name)}`);
  return `${table} as not materialized (select ${columnList(fields)} from ${table} where not exists (select ${later} and log.key = ${key})
    union all select earlier.* from (select distinct on (log.key) log.old ${later} order by log.key, log.seq) as log
      cross join lateral (${rowOf(collection, 'log.old')}) as earlier where log.old is not null)`;
}

/**
 * One scan of the log up to a position. PostgreSQL would compute all entries of a union of collections before it sorts
 * them for a page.
 */
function changesSource(views: readonly LogView[], name: string, upTo: number, dialect: SqlDialect, bind: Bind): string {
  const columns = new Map(views.map((view) => [view.collection.name, entryColumns(view, dialect, bind)]));
  const shown = (part: keyof LogColumns) => columnByCollection(columns, part);
  const names = [...columns.keys()].map(quoteText);
  const among = names.length === 0 ? 'false' : `log.collection in (${names.join(', ')})`;
  return `${identifier(name)} as not materialized (select log.seq, log.at, log.actor, log.role, log.request_id, log.collection,
      ${shown('key')} as key, ${shown('kind')} as kind, (${shown('before')})::jsonb as before, (${shown('after')})::jsonb as after
    from ${LOG_TABLE} as log where log.seq <= ${bind(String(upTo))}::int8 and ${among} and ${shown('condition')})`;
}

/** Only a column that needs the rows of an entry reads them. */
function entryColumns(view: LogView, dialect: SqlDialect, bind: Bind): LogColumns {
  const row = (side: string) =>
    `left join lateral (${rowOf(view.collection, `log.${side}`)}) as " ${side} row" on true`;
  const columns = logColumns(view, {
    old: scopeOf(dialect, bind, ' old row'),
    now: scopeOf(dialect, bind, ' new row'),
    listOfTexts: (texts) => `to_json(array[${texts.join(', ')}])::text`,
    concat: (texts) => `(${texts.join(' || ')})`,
  });
  const read = (sql: string) =>
    needsRow(sql) ? `(select ${sql} from (select) as entry ${row('old')} ${row('new')})` : sql;
  const { key, kind, before, after, condition } = columns;
  return { key: read(key), kind: read(kind), before: read(before), after: read(after), condition: read(condition) };
}

const ENTRIES_PER_STEP = 1_000;
const CHECK_MS = 60_000;

const PRUNE = `with expired as materialized (
    select max(seq) as seq, max(at) as at from (select seq, at from ${LOG_TABLE} order by seq limit ${ENTRIES_PER_STEP}) as oldest
    where at < now() - make_interval(days => $1::int4)),
  removed as (delete from ${LOG_TABLE} as log using expired where log.seq <= expired.seq returning 1),
  retained as (update ${RETAINED_TABLE} as kept set seq = greatest(kept.seq, expired.seq), at = greatest(kept.at, expired.at)
    from expired where expired.seq is not null),
  unchanged as (delete from ${LOG_TABLE} where seq in (select seq from ${LOG_TABLE} where collection = '' and at < now() - interval '${UNCHANGED_HOURS} hours'
    and seq < (select max(seq) from ${LOG_TABLE}) limit ${ENTRIES_PER_STEP}) returning 1)
  select ((select count(*) from removed) + (select count(*) from unchanged))::int4 as removed`;

/** Undefined `days` remove nothing. */
export function logPruner(days: number | undefined): Pruner | undefined {
  return days ? new Pruner({ sql: PRUNE, params: [days] }, ENTRIES_PER_STEP, CHECK_MS) : undefined;
}

/** A column of the writing statement: triggers run after it is computed. */
export function originColumn(origin: object, bind: Bind): string {
  return `set_config('${REQUEST_SETTING}', ${bind(JSON.stringify(origin), TEXT)}, true)`;
}

export async function setOrigin(runner: Runner, origin: Origin | 'silent'): Promise<void> {
  const text = origin === 'silent' ? SILENT : JSON.stringify(origin);
  await query(runner, { sql: `select set_config('${REQUEST_SETTING}', $1::text, true)`, params: [text] });
}
