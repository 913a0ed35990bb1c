/**
 * One standby to read from. It is asked now and then how far it has replayed the primary's log, over a connection of
 * its own, which no slow read can hold up; one that does not answer gets new connections, and is asked again. All its
 * connections must lead to one server: what is known of one says nothing about another behind the same address.
 */
import type { SQL } from 'bun';
import { keepConnections } from './buffers.ts';
import { NoAnswer, openPool, query, type Runner, type SessionSettings, within } from './driver.ts';
import { identify } from './identity.ts';
import { type LostAnswer, lostAnswer, type SharedRead } from './lost-answers.ts';
import type { ServerAddress } from './url.ts';

/** A standby that takes longer to say where it is has gone without a word, */
const ANSWER_MS = 2_000;
/** unless this is the first time. */
const MOST_SILENCES = 2;
/** What reads under way on old connections still get, once there are new ones. */
const OLD_POOL_SECONDS = 2;

export class Replica {
  /** For the reads. */
  pool!: SQL;
  /** How far the log was replayed when last asked; undefined while nothing may be read here. */
  reached: bigint | undefined;
  /** Why it is not read from, for people. */
  problem = 'does not answer';
  /** Whether its address leads to several servers: then it is of no use. */
  isBalanced = false;
  private probe!: SQL;
  private asking = false;
  private isDoubted = false;
  private silences = 0;
  /** Whether all connections of the pool are known to lead to the server that is asked. */
  private isChecked = false;

  constructor(
    private readonly server: ServerAddress,
    private readonly settings: SessionSettings,
  ) {
    this.open();
  }

  /** host:port, for messages. */
  get name(): string {
    return this.server.name;
  }

  async ask(): Promise<void> {
    if (this.asking || this.isBalanced) return;
    this.asking = true;
    try {
      const reached = await within(ANSWER_MS, replayedTo(this.probe));
      if (!this.isChecked) await within(ANSWER_MS, this.check());
      this.silences = 0;
      if (!this.isBalanced) {
        this.reached = reached;
        this.problem = reached === undefined ? 'takes writes now, and is no standby any more' : 'is too far behind';
      }
    } catch (error) {
      this.reached = undefined;
      this.problem = 'does not answer';
      if (error instanceof NoAnswer) this.silences++;
      if (!(error instanceof NoAnswer)) this.reconnect(OLD_POOL_SECONDS);
      // What was asked there is asked elsewhere: no answer will come.
      else if (this.silences >= MOST_SILENCES) this.reconnect(0);
    }
    this.asking = false;
  }

  /** While reads take long: where a connection has fallen silent all are opened anew. */
  async doubt(oldest: () => SharedRead | undefined): Promise<LostAnswer | undefined> {
    if (this.isDoubted || this.reached === undefined) return undefined;
    this.isDoubted = true;
    const { pool } = this;
    // A server that does not answer is noticed by whoever asks how far it is.
    const lost = await within(ANSWER_MS, lostAnswer(this.probe, pool, oldest)).catch(() => undefined);
    this.isDoubted = false;
    if (lost !== undefined && pool === this.pool) this.reconnect(OLD_POOL_SECONDS);
    return lost;
  }

  async close(): Promise<void> {
    this.isBalanced = true;
    await Promise.all([this.pool.close({ timeout: 0 }), this.probe.close({ timeout: 0 })]);
  }

  /** Every connection says which server it leads to. */
  private async check(): Promise<void> {
    const { pool } = this;
    const all = Array.from({ length: pool.options.max ?? 1 }, async () => {
      const connection = await pool.reserve();
      const { name } = await identify(connection);
      return { connection, name };
    });
    // All are held until the last one has answered: else one could answer twice.
    const found = await Promise.all(all);
    for (const { connection } of found) void connection.release();
    const names = new Set([(await identify(this.probe)).name, ...found.map(({ name }) => name)]);
    if (pool !== this.pool) return;
    this.isChecked = true;
    if (names.size > 1) {
      this.isBalanced = true;
      this.problem = 'is the address of several servers, and who has read from one may be sent back to another';
    }
  }

  private open(): void {
    // With the one that asks they are as many as the pool may have.
    const most = Math.max(1, this.settings.poolSize - 1);
    const pool: SQL = openPool(this.server, this.settings, most, () => {
      // The one that replaces it may lead elsewhere.
      if (this.pool === pool && this.isChecked) this.reconnect(OLD_POOL_SECONDS);
    });
    // A new one may lead elsewhere.
    keepConnections(pool);
    this.pool = pool;
    this.probe = openPool(this.server, this.settings, 1);
    this.isChecked = false;
    this.silences = 0;
  }

  private reconnect(seconds: number): void {
    const { pool, probe } = this;
    this.reached = undefined;
    this.open();
    void probe.close({ timeout: 0 });
    void pool.close({ timeout: seconds });
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
export async function writtenTo(primary: Runner): Promise<bigint> {
  const [row] = await query<{ position: string }>(primary, {
    sql: `select pg_wal_lsn_diff(case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn()
      else pg_current_wal_flush_lsn() end, '0/0')::text as position`,
    params: [],
  });
  return BigInt(row!.position);
}
