/**
 * Positions in the write-ahead log. A position without its timeline is ambiguous: after a failover a replica may hold a
 * branch of the log that the new primary does not have.
 */
import { query, type Runner } from '../driver.ts';

export interface Position {
  /** PostgreSQL starts a new timeline at each promotion. */
  readonly timeline: number;
  /** The log sequence number, in bytes. */
  readonly lsn: bigint;
  /** Whether the role of the connection lacks `pg_monitor`, and so may see an old timeline. */
  readonly lacksMonitor?: boolean;
}

const TOKEN = /^(\d{1,10})-(\d{1,20})$/;

/** The text by which clients name a position. They treat it as opaque. */
export function printPosition({ timeline, lsn }: Position): string {
  return `${timeline}-${lsn}`;
}

/** Parses a position of this service. Returns undefined for other texts. */
export function parsePosition(text: string): Position | undefined {
  const [, timeline, lsn] = TOKEN.exec(text) ?? [];
  return lsn === undefined ? undefined : { timeline: Number(timeline), lsn: BigInt(lsn) };
}

type PositionRow = Omit<Position, 'lsn'> & { readonly lsn: string | null };

/**
 * The end of everything that the primary committed. A commit is on disk when the server confirms it; with
 * `synchronous_commit = off` it may still be in memory only.
 */
export async function writtenPosition(primary: Runner): Promise<Position> {
  const sql = `select pg_wal_lsn_diff(lsn, '0/0')::text as lsn, ('x' || left(pg_walfile_name(lsn), 8))::bit(32)::int4 as timeline
      from (select case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn()
        else pg_current_wal_flush_lsn() end as lsn) as written`;
  const [row] = await query<PositionRow>(primary, { sql, params: [] });
  return { timeline: row!.timeline, lsn: BigInt(row!.lsn!) };
}

/**
 * The position up to which a replica has replayed the log; undefined if the server is not a replica. Roles without
 * `pg_monitor` do not see `received_tli`: for them the timeline changes with the replica's next restart point.
 */
export async function replayedPosition(replica: Runner): Promise<Position | undefined> {
  const sql = `select case when pg_is_in_recovery() then pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') end::text as lsn,
      greatest((select max(received_tli) from pg_stat_wal_receiver), (select timeline_id from pg_control_checkpoint()),
        (select min_recovery_end_timeline from pg_control_recovery())) as timeline,
      not pg_has_role('pg_read_all_stats', 'usage') as "lacksMonitor"`;
  const [row] = await query<PositionRow>(replica, { sql, params: [] });
  return row?.lsn == null ? undefined : { ...row, lsn: BigInt(row.lsn) };
}
