/**
 * One standby to read from. It is asked now and then how far it has replayed the primary's log, over a connection of
 * its own, which no slow read can hold up; one that does not answer gets new connections, and is asked again.
 */
import type { SQL } from 'bun';
import { openPool, query, type SessionSettings, within } from './driver.ts';
import type { ServerAddress } from './url.ts';

/** A standby that takes longer to say where it is has gone without a word. */
const ANSWER_MS = 2_000;
/** What reads under way on old connections still get, once there are new ones. */
const OLD_POOL_SECONDS = 5;

export class Replica {
  /** For the reads. */
  pool: SQL;
  /** How far the log was replayed when last asked; undefined while nothing may be read here. */
  reached: bigint | undefined;
  private probe: SQL;
  private asking = false;

  constructor(
    private readonly server: ServerAddress,
    private readonly settings: SessionSettings,
  ) {
    this.pool = openPool(server, settings);
    this.probe = openPool(server, settings, 1);
  }

  /** host:port, for messages. */
  get name(): string {
    return this.server.name;
  }

  async ask(): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    try {
      this.reached = await within(ANSWER_MS, replayedTo(this.probe));
    } catch {
      this.reached = undefined;
      this.reconnect();
    }
    this.asking = false;
  }

  async close(): Promise<void> {
    await Promise.all([this.pool.close({ timeout: 0 }), this.probe.close({ timeout: 0 })]);
  }

  private reconnect(): void {
    void this.probe.close({ timeout: 0 });
    void this.pool.close({ timeout: OLD_POOL_SECONDS });
    this.pool = openPool(this.server, this.settings);
    this.probe = openPool(this.server, this.settings, 1);
  }
}

/** Undefined where the server is no standby: one that was promoted has a log of its own. */
async function replayedTo(standby: SQL): Promise<bigint | undefined> {
  const [row] = await query<{ position: string | null }>(standby, {
    sql: `select case when pg_is_in_recovery() then pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') end::text as position`,
    params: [],
  });
  return row?.position == null ? undefined : BigInt(row.position);
}

/**
 * The end of everything that is committed. A commit is on the disk when it is answered, and what is not there yet is no
 * commit and may stay unsent for seconds; only where commits are not waited for, memory counts.
 */
export async function writtenTo(primary: SQL): Promise<bigint> {
  const [row] = await query<{ position: string }>(primary, {
    sql: `select pg_wal_lsn_diff(case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn()
      else pg_current_wal_flush_lsn() end, '0/0')::text as position`,
    params: [],
  });
  return BigInt(row!.position);
}
