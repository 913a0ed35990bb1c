/**
 * Keeps a pool of connections to the primary. It finds the primary among the hosts of the URL, detects its loss, and
 * retries with exponential back-off. A request waits up to 3 s, then fails with 503.
 */
import { ConfigError } from '../../../settings/by-command.ts';
import { Pool } from '../connections/pool.ts';
import { poolerProblem } from '../connections/pooler-check.ts';
import type { Notice, SessionSettings } from '../driver.ts';
import {
  ConnectionLoss,
  ConnectionUnresponsive,
  connectionCode,
  describe,
  isFull,
  isInternal,
  isLoss,
  NoPrimary,
  ServerUnresponsive,
  sqlState,
  unavailable,
} from '../errors.ts';
import type { Target } from '../url.ts';
import { findPrimary, type Primary } from './primary-discovery.ts';
import { checkServer, verifyServer } from './primary-probe.ts';

/** How long a request waits for a new connection before it fails with 503. Covers a quick restart. */
const REQUEST_WAIT_MS = 3_000;
/** The Retry-After of that response. */
const RETRY_AFTER_SECONDS = 2;
/** Time for in-flight statements to finish when the server may still respond. */
const OLD_POOL_CLOSE_SECONDS = 1;
const PREPARE_RETRY_MS = 500;
/** The interval and the time limit of the heartbeat: an idle instance also detects a loss within seconds. */
const HEARTBEAT_MS = 1_000;

type ConnectedServer = Omit<Primary, 'sql'> & { readonly pool: Pool };

export class ConnectionManager {
  /** Undefined during a recovery. */
  private connected: ConnectedServer | undefined;
  private recovery: Promise<void> | undefined;
  private reason = 'PostgreSQL has not been reached yet';
  private unavailableSince = 0;
  private connectedAt = 0;
  private lastHealthyAt = 0;
  /** `lastHealthyAt` when the current recovery started. */
  private lastHealthyBeforeLoss = 0;
  private isProbing = false;
  private isClosed = false;
  private readonly heartbeat: ReturnType<typeof setInterval>;

  constructor(
    private readonly target: Target,
    private readonly settings: SessionSettings,
    /** Runs on each new primary before requests use it. Must time out if the server stops responding. */
    private readonly prepare: (pool: Pool) => Promise<void>,
    private readonly notice: Notice,
  ) {
    this.heartbeat = setInterval(() => void this.probe(), HEARTBEAT_MS).unref();
  }

  /**
   * Connects once. After a temporary failure it resolves and retries in the background. Throws a ConfigError for a
   * permanent failure.
   */
  async open(): Promise<void> {
    this.lastHealthyAt = performance.now();
    const firstAttempt = this.connectOnce();
    this.trackConnecting(firstAttempt.catch(() => undefined));
    try {
      await firstAttempt;
    } catch (error) {
      const poolerError = poolerProblem(error);
      if (poolerError !== undefined) throw poolerError;
      if (!isLoss(error) && !isFull(error)) throw cannotOpen(error);
      this.reason = describe(error);
      this.trackConnecting(this.recover(undefined, error));
    }
  }

  get isUp(): boolean {
    return this.connected !== undefined;
  }

  /** Returns the milliseconds of primary downtime after `start`, including detection time. */
  downtimeSince(start: number): number {
    const end = this.isUp ? this.connectedAt : performance.now();
    return Math.max(0, end - Math.max(start, this.lastHealthyBeforeLoss));
  }

  /** Returns the pool. During a recovery it waits for one, then throws 503. */
  getPool(): Pool | Promise<Pool> {
    return this.connected?.pool ?? this.wait();
  }

  /** Reports a failure on a pool. Recovery starts, unless the pool was replaced already. */
  reportLoss(error: unknown, pool: Pool): void {
    const { connected } = this;
    if (this.isClosed || connected?.pool !== pool) return;
    this.connected = undefined;
    this.reason = describe(error);
    this.trackConnecting(this.recover(connected, error));
  }

  /** Closes all connections. The caller has waited for the requests in progress. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.heartbeat);
    await this.connected?.pool.close();
  }

  /** Checks the primary over the pool. If that fails, a new connection shows whether the server itself fails. */
  private async probe(): Promise<void> {
    const { connected } = this;
    if (connected === undefined || this.isProbing) return;
    this.isProbing = true;
    const { pool, server, identity } = connected;
    const startedAt = performance.now();
    const problem = await verifyServer(pool, identity, HEARTBEAT_MS).catch(() =>
      checkServer(server, identity, this.settings),
    );
    this.isProbing = false;
    if (problem === undefined) this.lastHealthyAt = startedAt;
    else this.reportLoss(problem, pool);
  }

  private async wait(): Promise<Pool> {
    const remainingMs = this.unavailableSince + REQUEST_WAIT_MS - performance.now();
    if (remainingMs > 0) await Promise.race([this.recovery, Bun.sleep(remainingMs)]);
    if (this.connected === undefined) throw unavailable(this.reason, RETRY_AFTER_SECONDS);
    return this.connected.pool;
  }

  private trackConnecting(recovery: Promise<void>): void {
    this.unavailableSince = performance.now();
    this.lastHealthyBeforeLoss = this.lastHealthyAt;
    this.recovery = recovery;
  }

  private async recover(previous: ConnectedServer | undefined, loss: unknown): Promise<void> {
    if (previous !== undefined && (await this.isServerHealthy(previous, loss))) await this.use(previous);
    else await this.findAgain(previous, loss);
  }

  /** Probes the server again, unless the service itself detected the loss (ConnectionLoss) or it became read-only. */
  private async isServerHealthy({ server, identity }: ConnectedServer, loss: unknown): Promise<boolean> {
    const isReadOnly = sqlState(loss) === '25006' && this.target.needsWritable;
    if (loss instanceof ConnectionLoss || isReadOnly) return false;
    return (await checkServer(server, identity, this.settings)) === undefined;
  }

  private async findAgain(previous: ConnectedServer | undefined, loss: unknown): Promise<void> {
    this.notice('warn', lossMessage(previous, loss));
    void previous?.pool.close(this.secondsToClose(loss));
    const onFailure = (error: unknown) => {
      this.reason = describe(error);
    };
    for (let logged = ''; !this.isClosed; await Bun.sleep(PREPARE_RETRY_MS)) {
      const primary = await findPrimary(this.target, this.settings, onFailure, () => this.isClosed);
      if (primary === undefined) return;
      try {
        await this.connect(primary);
        const seconds = ((this.connectedAt - this.unavailableSince) / 1000).toFixed(1);
        return this.notice('info', `found the primary ${primary.server.name} after ${seconds} s`);
      } catch (error) {
        onFailure(error);
        // The server answers but cannot be used yet: the log says why, once.
        if (this.reason !== logged) {
          this.notice('warn', `the primary ${primary.server.name}: ${this.reason}; trying again`);
        }
        logged = this.reason;
      }
    }
  }

  /** ConnectionUnresponsive: the server is healthy, so statements may run to their limit. */
  private secondsToClose(loss: unknown): number {
    if (loss instanceof ConnectionUnresponsive) return this.settings.querySeconds;
    return loss instanceof ServerUnresponsive ? 0 : OLD_POOL_CLOSE_SECONDS;
  }

  /** Tries every host once. If all fail, throws a connection error in preference to NoPrimary. */
  private async connectOnce(): Promise<void> {
    let failure: unknown;
    const onFailure = (error: unknown) => {
      if (failure === undefined || failure instanceof NoPrimary) failure = error;
    };
    const primary = await findPrimary(this.target, this.settings, onFailure, (attempt) => attempt > 0);
    if (primary === undefined) throw failure;
    await this.connect(primary);
  }

  private async connect({ server, sql, identity }: Primary): Promise<void> {
    const onUnresponsive = () => this.reportLoss(new ConnectionUnresponsive(), pool);
    const pool: Pool = new Pool(sql, { querySeconds: this.settings.querySeconds, onUnresponsive });
    try {
      await this.prepare(pool);
    } catch (error) {
      await pool.close();
      throw error;
    }
    await this.use({ server, identity, pool });
  }

  private async use(connected: ConnectedServer): Promise<void> {
    this.connectedAt = performance.now();
    this.lastHealthyAt = this.connectedAt;
    this.connected = connected;
    if (this.isClosed) await connected.pool.close();
  }
}

function lossMessage(previous: ConnectedServer | undefined, loss: unknown): string {
  if (loss instanceof ConnectionUnresponsive) {
    return 'a connection to PostgreSQL does not answer: the service replaces all connections';
  }
  if (previous === undefined) return `${describe(loss)}; trying again until it answers`;
  const { server, pool } = previous;
  return `lost the primary ${server.name}: ${describe(loss)}; statements in flight: ${pool.inFlight.size}`;
}

function cannotOpen(error: unknown): unknown {
  if (error instanceof ConfigError || isInternal(error)) return error;
  const isCertificate = /CERT|SIGNATURE/.test(connectionCode(error));
  const problem = isCertificate ? 'the certificate of PostgreSQL is not accepted' : 'no connection to PostgreSQL';
  return new ConfigError(
    `${sqlState(error) === undefined ? problem : 'PostgreSQL rejected the connection'}: ${(error as Error).message}`,
  );
}
