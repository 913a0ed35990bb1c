/**
 * The way to the server that writes, kept open: it finds it among the hosts of the URL, notices when it is lost, and
 * looks for it again with growing pauses. Meanwhile a request waits for a moment, and is then refused with 503.
 */
import type { SQL } from 'bun';
import { ConfigError } from '../../config.ts';
import { openPool, query, type SessionSettings } from './driver.ts';
import { describe, isCertificateProblem, isLoss, sqlState, unavailable } from './refusals.ts';
import type { ServerAddress, Target } from './url.ts';

export type Notice = (level: 'info' | 'warn', message: string) => void;

/** A dropped connection or a quick restart is bridged; a longer loss is answered at once. */
const GRACE_MS = 3_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/** What queries under way on the old connections still get, once there are new ones. */
const OLD_POOL_SECONDS = 5;

export class Link {
  private pool: SQL | undefined;
  private recovering: Promise<void> | undefined;
  private lostAt = 0;
  private reason = 'PostgreSQL has not been reached yet';
  private closed = false;

  constructor(
    private readonly target: Target,
    private readonly settings: SessionSettings,
    /** Done on every server that is found, before anything else is. */
    private readonly prepare: (pool: SQL) => Promise<void>,
    private readonly notice: Notice,
  ) {}

  /** Resolves when the server was found, or is being looked for; throws where looking again would not help. */
  async open(): Promise<void> {
    this.lostAt = performance.now();
    const first = this.connect();
    // Requests that come meanwhile wait for it, and no longer than they would for a recovery.
    this.recovering = first.catch(() => undefined);
    try {
      await first;
      this.recovering = undefined;
    } catch (error) {
      this.recovering = undefined;
      if (!isLoss(error) && !(error instanceof NoSuchServer)) throw cannotOpen(error);
      this.lost(error);
    }
  }

  get isUp(): boolean {
    return this.pool !== undefined && this.recovering === undefined;
  }

  current(): SQL | Promise<SQL> {
    if (this.pool !== undefined && this.recovering === undefined) return this.pool;
    return this.wait();
  }

  /** Told by whoever met the loss; `pool` is the one that was used. */
  lost(error: unknown, pool = this.pool): void {
    if (this.closed || this.recovering !== undefined || pool !== this.pool) return;
    this.lostAt = performance.now();
    this.reason = error instanceof NoSuchServer ? error.message : describe(error);
    this.recovering = this.recover();
  }

  /** Whoever closes has waited for the work under way. */
  async close(): Promise<void> {
    this.closed = true;
    await this.pool?.close({ timeout: 0 });
  }

  private async wait(): Promise<SQL> {
    const left = this.lostAt + GRACE_MS - performance.now();
    if (left > 0) await Promise.race([this.recovering?.then(() => Bun.sleep(0)), Bun.sleep(left)]);
    if (this.pool === undefined || this.recovering !== undefined) throw unavailable(this.reason, 2);
    return this.pool;
  }

  private async recover(): Promise<void> {
    let told = false;
    for (let attempt = 0; !this.closed; attempt++) {
      try {
        await this.connect();
        break;
      } catch (error) {
        this.reason = error instanceof NoSuchServer ? error.message : describe(error);
        if (!told) this.notice('warn', `${this.reason}; trying again until it is there`);
        told = true;
      }
      const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempt, 10));
      await Bun.sleep(pause * (0.5 + Math.random() / 2));
    }
    this.recovering = undefined;
    if (told && !this.closed) this.notice('info', 'PostgreSQL is reached');
  }

  private async connect(): Promise<void> {
    let failure: unknown;
    for (const server of this.target.servers) {
      try {
        const pool = await this.tryServer(server);
        const old = this.pool;
        this.pool = pool;
        void old?.close({ timeout: OLD_POOL_SECONDS });
        if (this.closed) await pool.close({ timeout: 0 });
        return;
      } catch (error) {
        failure = failure instanceof NoSuchServer && !(error instanceof NoSuchServer) ? error : (failure ?? error);
      }
    }
    throw failure;
  }

  private async tryServer(server: ServerAddress): Promise<SQL> {
    const pool = openPool(server, this.settings);
    try {
      if (this.target.needsWritable) await checkWritable(pool, server);
      await this.prepare(pool);
      return pool;
    } catch (error) {
      await pool.close({ timeout: 0 });
      throw error;
    }
  }
}

class NoSuchServer extends Error {}

async function checkWritable(pool: SQL, server: ServerAddress): Promise<void> {
  const [row] = await query<{ reads: boolean }>(pool, {
    sql: `select pg_is_in_recovery() or current_setting('default_transaction_read_only')::bool as reads`,
    params: [],
  });
  if (row?.reads !== false) throw new NoSuchServer(`No server takes writes: ${server.name} is a standby`);
}

function cannotOpen(error: unknown): unknown {
  if (error instanceof ConfigError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ConfigError(`${obstacle(error)}: ${message}`);
}

function obstacle(error: unknown): string {
  if (sqlState(error) !== undefined) return 'PostgreSQL refuses';
  return isCertificateProblem(error) ? 'the certificate of PostgreSQL is not accepted' : 'no connection to PostgreSQL';
}
