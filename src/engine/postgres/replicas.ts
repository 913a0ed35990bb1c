/**
 * Reads on standbys. A standby serves a read only while it is known to hold every write that this instance has made,
 * and to be no further behind the primary than the limit: a client reads its own writes as long as it stays with one
 * instance. Positions are those of the write-ahead log, asked for beside the requests and never by them.
 */
import type { SQL } from 'bun';
import { openPool, query, type SessionSettings } from './driver.ts';
import { parseTarget, type ServerAddress } from './url.ts';

/** How often the standbys are asked where they are. */
const ASK_MS = 250;
/** A standby that is further behind than this is left out, even for those who have written nothing. */
const MAX_LAG_SECONDS = 10;

interface Replica {
  readonly server: ServerAddress;
  readonly pool: SQL;
  /** How far the log was replayed when last asked; -1 while the standby is left out. */
  reached: bigint;
}

export class Replicas {
  private readonly replicas: Replica[];
  private readonly timer: ReturnType<typeof setInterval>;
  /** The log's position after the newest write of this instance. Unknown while a write is under way. */
  private needed = 0n;
  private writing = 0;
  private next = 0;
  private asking = false;

  constructor(urls: readonly string[], settings: SessionSettings) {
    this.replicas = urls
      .flatMap((url) => parseTarget(url).servers)
      .map((server) => ({ server, pool: openPool(server, settings), reached: -1n }));
    this.timer = setInterval(() => void this.ask(), ASK_MS);
    void this.ask();
  }

  /** A standby that may answer now, taken in turn; undefined where the primary must. */
  pick(): SQL | undefined {
    if (this.writing > 0) return undefined;
    for (let tried = 0; tried < this.replicas.length; tried++) {
      const replica = this.replicas[this.next++ % this.replicas.length]!;
      if (replica.reached >= 0n && replica.reached >= this.needed) return replica.pool;
    }
    return undefined;
  }

  /** A write on the primary: until its position is known, and replayed, its readers stay with the primary. */
  async during<T>(primary: SQL, write: () => Promise<T>): Promise<T> {
    this.writing++;
    try {
      return await write();
    } finally {
      try {
        const [row] = await query<{ position: string }>(primary, {
          sql: `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as position`,
          params: [],
        });
        const position = BigInt(row!.position);
        if (position > this.needed) this.needed = position;
      } catch {
        // A primary that is gone may have stored the write all the same: nobody is sent to a standby until one is back.
        this.needed = 2n ** 64n;
      }
      this.writing--;
    }
  }

  /** Left out until it is asked again. */
  lost(pool: SQL): void {
    const replica = this.replicas.find((each) => each.pool === pool);
    if (replica !== undefined) replica.reached = -1n;
  }

  /** After a failover the positions of the old primary mean nothing: what counts is what the new one has. */
  async restart(primary: SQL): Promise<void> {
    this.needed = 0n;
    await this.during(primary, async () => undefined);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.replicas.map(({ pool }) => pool.close({ timeout: 0 })));
  }

  private async ask(): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    await Promise.all(this.replicas.map((replica) => this.askOne(replica)));
    this.asking = false;
  }

  private async askOne(replica: Replica): Promise<void> {
    try {
      const [row] = await query<{ position: string | null; lag: number | null }>(replica.pool, {
        sql: `select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text as position,
          case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
            else extract(epoch from now() - pg_last_xact_replay_timestamp()) end::float8 as lag`,
        params: [],
      });
      const isNear = row?.position != null && (row.lag ?? 0) <= MAX_LAG_SECONDS;
      replica.reached = isNear ? BigInt(row.position!) : -1n;
    } catch {
      replica.reached = -1n;
    }
  }
}
