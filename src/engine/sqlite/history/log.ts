/** Reads positions and rows of the log of changes. One process writes at a time, so positions are in order. */
import type { Collection } from '../../../collection/declaration.ts';
import { changingCollections } from '../../../plan/access/named-fields.ts';
import type { ReadPlan } from '../../../plan/types.ts';
import type { ChangeLog, LogPosition } from '../../engine.ts';
import { LOG_TABLE, positionAtSql, RETAINED_TABLE } from '../../shared/change-log.ts';
import { withSources } from '../../sql/log-source.ts';
import type { SqlDialect } from '../../sql/statement.ts';
import type { Connection } from '../connection/connection.ts';
import { guardedDialect } from '../dialect.ts';
import { changesSource, rowsAsOf } from './sources.ts';
import { POSITION } from './triggers.ts';

/** The last position that a connection sees. */
export function lastPosition(connection: Connection): number {
  return connection.number({ sql: `select ${POSITION}`, params: [] });
}

export class SqliteLog implements ChangeLog {
  /** `refreshed` is the connection on the newest state. */
  constructor(private readonly refreshed: () => Connection) {}

  position(): LogPosition {
    const last = (table: string) => `select * from (select seq, at from ${table} order by seq desc, at desc limit 1)`;
    const sql = `${last(LOG_TABLE)} union all ${last(RETAINED_TABLE)} order by seq desc, at desc limit 1`;
    const [[seq, at] = [0, '']] = this.refreshed().values({ sql, params: [] }) as [number, string][];
    return { seq, at };
  }

  timesAt(seq: number): readonly string[] {
    const sql = `select at from ${LOG_TABLE} where seq = ?1 union all select at from ${RETAINED_TABLE} where seq = ?1`;
    return this.refreshed()
      .values({ sql, params: [seq] })
      .map(([at]) => String(at));
  }

  oldest(collections: readonly Collection[]): LogPosition | undefined {
    const names = [...new Set(collections.map(({ name }) => name))];
    const sql = `select count(*), max(seq), max(at) from ${RETAINED_TABLE} where collection in (select value from json_each(?))`;
    const [found] = this.refreshed().values({ sql, params: [JSON.stringify(names)] });
    const [count, seq, at] = found as [number, number, string];
    return count === names.length ? { seq, at } : undefined;
  }

  positionAt(time: string): number {
    return this.refreshed().number({ sql: positionAtSql('?1', POSITION), params: [time] });
  }
}

/** The dialect of a read of the log, or as of a position; undefined for any other read. */
export function logDialect(plan: ReadPlan, asOf: number | undefined): SqlDialect | undefined {
  const { log, from } = plan;
  if (log !== undefined) return withSources(guardedDialect, (bind) => changesSource(log, from.name, asOf, bind));
  if (asOf === undefined) return undefined;
  const collections = changingCollections(plan);
  return withSources(guardedDialect, (bind) => collections.map((each) => rowsAsOf(each, asOf, bind)).join(', '));
}
