/** Removes expired entries of the change log in small steps, each of which delays a write by about a millisecond. */
import { LOG_TABLE, RETAINED_TABLE } from '../../shared/change-log.ts';
import type { Connection } from '../connection/connection.ts';

const ENTRIES_PER_STEP = 500;

const EXPIRED = `select max(seq), max(at) from (select seq, at from ${LOG_TABLE} order by seq limit ${ENTRIES_PER_STEP})
  where at < strftime('%Y-%m-%dT%H:%M:%f', 'now', ?)`;
const RETAIN = `update ${RETAINED_TABLE} set seq = max(seq, ?1), at = max(at, ?2)`;

/** Returns whether it removed entries, so that there may be more. Fails while another process writes. */
export function pruneLog(connection: Connection, days: number): boolean {
  const [seq, at] = connection.values({ sql: EXPIRED, params: [`-${days} days`] })[0] as [number | null, string];
  if (seq === null) return false;
  connection.execute('begin immediate');
  try {
    connection.run({ sql: `delete from ${LOG_TABLE} where seq <= ?`, params: [seq] });
    connection.run({ sql: RETAIN, params: [seq, at] });
    connection.commit();
  } finally {
    connection.rollback();
  }
  return true;
}
