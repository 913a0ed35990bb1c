/** Identifies an entry of the log of changes, so that a copy of the log continues the one before it. */
import type { Database } from 'bun:sqlite';
import { LOG_TABLE, RETAINED_TABLE } from '../../shared/change-log.ts';
import type { LogMark } from '../../shared/maintenance.ts';
import { POSITION } from '../history/triggers.ts';
import { select } from '../schema/schema.ts';

export const IS_OF_LOG = `type = 'trigger' and name glob '_*_log_[0-9]'`;
/** The tables with a log, and their triggers. A log continues only as long as they stay the same. */
const FORM = `select coalesce(group_concat(sql, char(10)), '') from (select sql from sqlite_schema where ${IS_OF_LOG}
  or type = 'table' and name in (select tbl_name from sqlite_schema where ${IS_OF_LOG}) order by type, name)`;

/** Identifies an entry of the log, and the form of the tables. Undefined if the log does not have all later entries. */
export function markAt(db: Database, seq: number): LogMark | undefined {
  const [found] = select(db, `select at from ${LOG_TABLE} where seq = ?`, String(seq));
  if (select(db, `select 1 from ${RETAINED_TABLE} where seq > ? limit 1`, String(seq)).length > 0) return undefined;
  const hash = new Bun.CryptoHasher('sha256').update(`${select(db, FORM)[0]![0]}\n${found?.[0] ?? ''}`);
  return { seq, mark: hash.digest('hex').slice(0, 8), ...(found && { at: String(found[0]) }) };
}

/** The last entry of the log. Undefined without a log. */
export function lastMark(db: Database): LogMark | undefined {
  if (select(db, `select 1 from sqlite_schema where ${IS_OF_LOG}`).length === 0) return undefined;
  return markAt(db, Number(select(db, `select ${POSITION}`)[0]![0]));
}
