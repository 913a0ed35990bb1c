/**
 * One replica. The service queries its replay position regularly, over a connection that no slow read can block. If a
 * replica does not respond, the service opens new connections. All of them must lead to the server with this position.
 */
import type { SQL } from 'bun';
import { Pool } from '../connections/pool.ts';
import { type Notice, openPool, query, type Runner, type SessionSettings, within } from '../driver.ts';
import { ServerUnresponsive } from '../errors.ts';
import { identifyServer } from '../primary/primary-probe.ts';
import type { ServerAddress } from '../url.ts';

/** A replica that exceeds this time in two probes in a row is down. */
const ANSWER_MS = 2_000;
const MAX_TIMEOUTS = 2;
/** How long reads on old connections may still take. */
const OLD_POOL_SECONDS = 2;

export class Replica {
  pool!: Pool;
  /** The last known replay position; undefined while nothing may be read here. */
  position: Position | undefined;
  /** When the replica last answered with its position. */
  answeredAt = 0;
  /** Whether it holds more of the log than the primary: a branch that a failover left behind. */
  isAhead = false;
  /** Whether its address leads to several servers. The service does not read from it then. */
  isBalanced = false;
  /** Why it has no position, for the log. */
  problem = 'is down';
  private probe!: SQL;
  private isAsking = false;
  private timeouts = 0;
  /** Whether all connections of the pool are known to lead to the server that is asked. */
  private isVerified = false;

  constructor(
    private readonly server: ServerAddress,
    private readonly settings: SessionSettings,
    private readonly notice: Notice,
  ) {
    this.open();
  }

  /** host:port, for messages. */
  get name(): string {
    return this.server.name;
  }

  async ask(): Promise<void> {
    if (this.isAsking || this.isBalanced) return;
    this.isAsking = true;
    try {
      const position = await within(ANSWER_MS, replayedPosition(this.probe));
      const at = performance.now();
      if (!this.isVerified) await within(ANSWER_MS, this.verify());
      this.timeouts = 0;
      this.answeredAt = at;
      this.problem = position === undefined ? 'accepts writes: it was promoted' : 'is down';
      // A running server never returns to an older timeline. Without a stream it reports that of its last checkpoint.
      const timeline = Math.max(position?.timeline ?? 0, this.position?.timeline ?? 0);
      this.position = this.isBalanced || position === undefined ? undefined : { ...position, timeline };
    } catch (error) {
      this.position = undefined;
      this.problem = 'is down';
      if (!(error instanceof ServerUnresponsive)) this.reconnect(OLD_POOL_SECONDS);
      // Reads in flight will not be answered: the primary runs them again.
      else if (++this.timeouts === MAX_TIMEOUTS) this.reconnect(0);
    }
    this.isAsking = false;
  }

  async close(): Promise<void> {
    this.isBalanced = true;
    await Promise.all([this.pool.close(), this.probe.close({ timeout: 0 })]);
  }

  private async verify(): Promise<void> {
    const { pool } = this;
    // All connections are held until the last one answers: otherwise one could answer twice.
    const connections = await Promise.all(Array.from({ length: pool.sql.options.max ?? 1 }, () => pool.sql.reserve()));
    const identities = await Promise.all([this.probe, ...connections].map(identifyServer));
    for (const connection of connections) void connection.release();
    const names = new Set(identities.map(({ name }) => name));
    if (pool !== this.pool) return;
    this.isVerified = true;
    this.isBalanced = names.size > 1;
    if (!this.isBalanced) return;
    this.notice(
      'warn',
      `the replica ${this.name} is the address of several servers: the service does not read from it. Name every replica by its own address in DATABASE_REPLICA_URLS`,
    );
  }

  private open(): void {
    // The probe counts towards the pool size. A download may hold one connection, so reads need a second one.
    const max = Math.max(2, this.settings.poolSize - 1);
    const reconnect = () => {
      if (this.pool === pool && this.isVerified) this.reconnect(OLD_POOL_SECONDS);
    };
    // The connection that replaces a closed one may lead to another server.
    const sql = openPool(this.server, this.settings, max, reconnect);
    const { querySeconds } = this.settings;
    const pool: Pool = new Pool(sql, { querySeconds, onUnresponsive: reconnect, keepsConnections: true });
    this.pool = pool;
    this.probe = openPool(this.server, this.settings, 1);
    this.isVerified = false;
    this.timeouts = 0;
  }

  private reconnect(seconds: number): void {
    const { pool, probe } = this;
    this.position = undefined;
    this.open();
    void probe.close({ timeout: 0 });
    void pool.close(seconds);
  }
}

/**
 * A position in the write-ahead log. Without its timeline it is ambiguous: after a failover a replica may hold a branch
 * of the log that the new primary does not have.
 */
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
  const [row] = await query<PositionRow>(primary, sql);
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
  const [row] = await query<PositionRow>(replica, sql);
  return row?.lsn == null ? undefined : { ...row, lsn: BigInt(row.lsn) };
}
