/** Reads the log of changes: its positions, and statements over it. All of it is read on the primary. */
import type { Collection } from '../../../collection/declaration.ts';
import { changingCollections } from '../../../plan/access/named-fields.ts';
import type { ReadPlan } from '../../../plan/types.ts';
import type { ChangeLog, LogPosition } from '../../engine.ts';
import { LOG_TABLE, notLogged, positionAtSql, RETAINED_TABLE } from '../../shared/change-log.ts';
import { withSources } from '../../sql/log-source.ts';
import type { SqlDialect, Statement } from '../../sql/statement.ts';
import { query, type Runner } from '../driver.ts';
import { changesSource, rowsAsOf } from './sources.ts';
import { positionSql } from './triggers.ts';

export async function lastPosition(runner: Runner, schema: string): Promise<LogPosition> {
  const [found] = await query<{ seq: string; at: string }>(runner, { sql: positionSql(schema), params: [] });
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

/** The dialect of a read of the log up to a position, or as of it. */
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
