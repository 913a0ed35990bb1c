/**
 * Maintains the change log in small steps, each of which delays a write by about a millisecond: removes expired
 * entries, and measures the others. The log does not count when the engine decides whether a catalogue is small.
 */
import { LOG_TABLE, RETAINED_TABLE, UNCHANGED_HOURS } from '../../shared/change-log.ts';
import type { Statement } from '../../sql/statement.ts';
import type { Connection } from '../connection/connection.ts';
import { POSITION, REQUEST_TABLE } from './triggers.ts';

const ENTRIES_PER_STEP = 500;

const EXPIRED = `select max(seq), max(at) from (select seq, at from ${LOG_TABLE} order by seq limit ${ENTRIES_PER_STEP})
  where at < strftime('%Y-%m-%dT%H:%M:%f', 'now', ?)`;
/** Updates that changed nothing, oldest first. The last position stays. */
const UNCHANGED = (
  limit: number,
) => `select seq from (select seq, at from ${LOG_TABLE} where collection = '' and key = '' order by seq limit ${limit})
  where at < strftime('%Y-%m-%dT%H:%M:%f', 'now', '-${UNCHANGED_HOURS} hours') and seq < ${POSITION}`;
const RETAIN = `update ${RETAINED_TABLE} set seq = max(seq, ?1), at = max(at, ?2)`;
const UNMEASURED: Statement = { sql: `select ${POSITION} - measured_to from ${REQUEST_TABLE}`, params: [] };
const LENGTHS = `coalesce(sum(ifnull(octet_length(old), 0) + ifnull(octet_length(new), 0) + octet_length(key)), 0)`;
const MEASURE = `update ${REQUEST_TABLE} set bytes = bytes + (select ${LENGTHS} from ${LOG_TABLE} where seq > measured_to and seq <= measured_to + ${ENTRIES_PER_STEP}),
  measured_to = measured_to + ${ENTRIES_PER_STEP}`;
const UNMEASURE = `update ${REQUEST_TABLE} set bytes = bytes - (select ${LENGTHS} from ${LOG_TABLE} where seq <= min(?1, measured_to))`;

/** The minimum number of bytes of the log in the file: a page of each table and index, and the measured rows. */
export const LOG_BYTES = `5 * page_size + (select coalesce(sum(bytes), 0) from ${REQUEST_TABLE})`;

/** Returns whether it did something, so that there may be more. Fails while another process writes. */
export function maintainLog(connection: Connection, days: number): boolean {
  const [seq, at] = connection.values({ sql: EXPIRED, params: [`-${days} days`] })[0] as [number | null, string];
  const isUnmeasured = connection.number(UNMEASURED) >= ENTRIES_PER_STEP;
  const isUnchanged = connection.values({ sql: UNCHANGED(1), params: [] }).length > 0;
  if (seq === null && !isUnmeasured && !isUnchanged) return false;
  connection.execute('begin immediate');
  try {
    if (isUnmeasured) connection.execute(MEASURE);
    if (isUnchanged) connection.execute(`delete from ${LOG_TABLE} where seq in (${UNCHANGED(ENTRIES_PER_STEP)})`);
    if (seq !== null) {
      connection.run({ sql: UNMEASURE, params: [seq] });
      connection.run({ sql: `delete from ${LOG_TABLE} where seq <= ?`, params: [seq] });
      connection.run({ sql: RETAIN, params: [seq, at] });
    }
    connection.commit();
  } finally {
    connection.rollback();
  }
  return true;
}
