/**
 * Keeps a pool of connections to the primary. It finds the primary among the hosts of the URL, notices when the primary is gone,
 * and searches again with growing pauses. Requests wait for a short time meanwhile; later ones get 503.
 */
import type { SQL } from 'bun';
import { ConfigError } from '../../../settings/by-command.ts';
import { type InFlight, SilentConnection, trackStatements } from '../connections/in-flight.ts';
import { refusedByPooler } from '../connections/pooler-check.ts';
import { NoAnswer, type SessionSettings, within } from '../driver.ts';
import { describe, isCertificateProblem, isFull, isInternal, isLoss, sqlState, unavailable } from '../errors.ts';
import type { Notice } from '../notice.ts';
import type { Target } from '../url.ts';
import { findPrimaryOnce, NoPrimary, type Search, searchPrimary } from './primary-discovery.ts';
import { type ConnectedServer, checkServer, identifyServer, isUnchanged, ServerChanged } from './primary-probe.ts';

/** Requests wait this long after a loss: a broken connection or a quick restart stays unnoticed. */
const GRACE_MS = 3_000;
/** How long statements on the old connections may still take if their server may be alive. */
const OLD_POOL_SECONDS = 1;
const PAUSE_AFTER_CHECKS_MS = 500;
/** An idle instance also notices within seconds that the primary is gone. */
const HEARTBEAT_MS = 1_000;

export class ConnectionManager {
  private connected: ConnectedServer | undefined;
  private inFlight: InFlight | undefined;
  private recovering: Promise<void> | undefined;
  private lostAt = 0;
  private foundAt = 0;
  /** When the primary last answered a heartbeat; and the same for the newest loss. */
  private answeredAt = 0;
  private awayFrom = 0;
  private reason = 'PostgreSQL has not been reached yet';
  private isChecking = false;
  private isBeating = false;
  /** Abandoned pools on which statements may still be answered. */
  private readonly closing = new Set<SQL>();
  private readonly search: Search;
  private readonly heartbeat: ReturnType<typeof setInterval>;
  private closed = false;

  constructor(
    private readonly target: Target,
    private readonly settings: SessionSettings,
    /** Prepares every server that was found before requests use it. Fails in time if the server goes silent. */
    private readonly prepare: (pool: SQL) => Promise<void>,
    private readonly notice: Notice,
  ) {
    this.search = { target, settings };
    this.heartbeat = setInterval(() => void this.beat(), HEARTBEAT_MS).unref();
  }

  /** Resolves when the primary was found or the search goes on; throws if searching again cannot help. */
  async open(): Promise<void> {
    this.lostAt = performance.now();
    this.awayFrom = this.lostAt;
    const first = findPrimaryOnce(this.search).then((found) => this.use(found));
    // Requests that arrive meanwhile wait for it as they would for a recovery.
    this.recovering = first.catch(() => undefined);
    try {
      await first;
      this.recovering = undefined;
    } catch (error) {
      this.recovering = undefined;
      const refused = refusedByPooler(error);
      if (refused !== undefined) throw refused;
      if (!isLoss(error) && !isFull(error) && !(error instanceof NoPrimary)) throw cannotOpen(error);
      this.lost(error);
    }
  }

  get isUp(): boolean {
    return this.connected !== undefined && this.recovering === undefined;
  }

  /** Milliseconds since that moment during which the primary was gone, the time until the service noticed included. */
  awaySince(moment: number): number {
    const end = this.recovering === undefined ? this.foundAt : performance.now();
    return Math.max(0, end - Math.max(moment, this.awayFrom));
  }

  current(): SQL | Promise<SQL> {
    if (this.connected !== undefined && this.recovering === undefined) return this.connected.pool;
    return this.wait();
  }

  /** Reports a failure on a pool: recovery starts, unless the pool was replaced already. */
  lost(error: unknown, pool = this.connected?.pool): void {
    if (this.closed || this.recovering !== undefined || pool !== this.connected?.pool) return;
    this.lostAt = performance.now();
    if (this.connected !== undefined) this.awayFrom = this.answeredAt;
    this.reason = reasonOf(error);
    this.recovering = this.recover(error);
  }

  /** Closes all connections. The caller has waited for the requests in progress. */
  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.heartbeat);
    const pools = [...this.closing, ...(this.connected === undefined ? [] : [this.connected.pool])];
    await Promise.all(pools.map((pool) => pool.close({ timeout: 0 })));
  }

  private async beat(): Promise<void> {
    const { connected } = this;
    if (connected === undefined || this.recovering !== undefined || this.isBeating) return;
    this.isBeating = true;
    const at = performance.now();
    const answer = await within(HEARTBEAT_MS, identifyServer(connected.pool)).catch(() => undefined);
    this.isBeating = false;
    if (answer !== undefined && isUnchanged(answer, connected.identity)) this.answeredAt = at;
    else await this.check();
  }

  /** Checks the primary over a new connection, after a missed heartbeat and while a statement is slow. */
  private async check(): Promise<void> {
    const { connected } = this;
    if (this.isChecking || this.closed || this.recovering !== undefined || connected === undefined) return;
    this.isChecking = true;
    const problem = await checkServer(connected, this.settings);
    this.isChecking = false;
    if (problem !== undefined) this.lost(problem, connected.pool);
  }

  private async wait(): Promise<SQL> {
    const left = this.lostAt + GRACE_MS - performance.now();
    if (left > 0) await Promise.race([this.recovering?.then(() => Bun.sleep(0)), Bun.sleep(left)]);
    if (this.connected === undefined || this.recovering !== undefined) throw unavailable(this.reason, 2);
    return this.connected.pool;
  }

  private async recover(error: unknown): Promise<void> {
    if (!(await this.isSameServer(error))) await this.findAgain(error);
    this.foundAt = performance.now();
    this.recovering = undefined;
  }

  /** Whether only a connection broke. The pool replaces it then. */
  private async isSameServer(error: unknown): Promise<boolean> {
    const { connected } = this;
    const isCertain = [NoAnswer, ServerChanged, SilentConnection].some((type) => error instanceof type);
    const isReadOnly = sqlState(error) === '25006' && this.target.needsWritable;
    if (connected === undefined || isCertain || isReadOnly) return false;
    return (await checkServer(connected, this.settings)) === undefined;
  }

  private async findAgain(loss: unknown): Promise<void> {
    const report = this.reportLoss(loss);
    if (this.connected !== undefined) void this.abandon(this.connected.pool, loss);
    this.connected = undefined;
    let logged = '';
    const failed = (error: unknown) => {
      this.reason = reasonOf(error);
    };
    while (!this.closed) {
      const found = await searchPrimary(this.search, failed, () => this.closed);
      if (found === undefined) return;
      try {
        await this.use(found);
        report(found);
        return;
      } catch (error) {
        failed(error);
        // The server answers but cannot be used yet: the log says why, once.
        if (this.reason !== logged)
          this.notice('warn', `the primary ${found.server.name}: ${this.reason}; trying again`);
        logged = this.reason;
      }
      await Bun.sleep(PAUSE_AFTER_CHECKS_MS);
    }
  }

  /** Logs one line for the loss, and returns what logs one line for its end. */
  private reportLoss(loss: unknown): (found: ConnectedServer) => void {
    if (loss instanceof SilentConnection) {
      this.notice('warn', 'a connection to PostgreSQL does not answer: the service replaces all connections');
      return () => {};
    }
    const { connected, inFlight } = this;
    const reason = reasonOf(loss);
    const pending = inFlight === undefined ? '' : `; statements in flight: ${inFlight.size}`;
    if (connected === undefined) this.notice('warn', `${reason}; trying again until it answers`);
    else this.notice('warn', `lost the primary ${connected.server.name}: ${reason}${pending}`);
    return ({ server }) => {
      const seconds = ((performance.now() - this.lostAt) / 1000).toFixed(1);
      this.notice('info', `found the primary ${server.name} after ${seconds} s`);
    };
  }

  /** Closes a pool. New connections are opened afterwards: the role may not be allowed more. */
  private async abandon(pool: SQL, loss: unknown): Promise<void> {
    this.closing.add(pool);
    // A healthy server ends its statements by itself; a silent one answers none of them.
    const healthy = loss instanceof SilentConnection ? this.settings.querySeconds : OLD_POOL_SECONDS;
    await pool.close({ timeout: loss instanceof NoAnswer ? 0 : healthy });
    this.closing.delete(pool);
  }

  private async use(found: ConnectedServer): Promise<void> {
    const { pool } = found;
    try {
      await this.prepare(pool);
    } catch (error) {
      await pool.close({ timeout: 0 });
      throw error;
    }
    this.inFlight = trackStatements(pool, this.settings.querySeconds, {
      slow: () => void this.check(),
      silent: () => this.lost(new SilentConnection(), pool),
    });
    this.answeredAt = performance.now();
    this.connected = found;
    if (this.closed) await pool.close({ timeout: 0 });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof NoPrimary ? error.message : describe(error);
}

function cannotOpen(error: unknown): unknown {
  if (error instanceof ConfigError || isInternal(error)) return error;
  return new ConfigError(`${obstacle(error)}: ${(error as Error).message}`);
}

function obstacle(error: unknown): string {
  if (sqlState(error) !== undefined) return 'PostgreSQL refuses';
  return isCertificateProblem(error) ? 'the certificate of PostgreSQL is not accepted' : 'no connection to PostgreSQL';
}
