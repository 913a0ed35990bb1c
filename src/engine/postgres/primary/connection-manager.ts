/**
 * Keeps a pool of connections to the primary. It finds the primary among the hosts of the URL, notices when the primary is gone,
 * and searches again with growing pauses. Requests wait for a short time meanwhile; later ones get 503.
 */
import { ConfigError } from '../../../settings/by-command.ts';
import { Pool } from '../connections/pool.ts';
import { poolerProblem } from '../connections/pooler-check.ts';
import type { Notice, SessionSettings } from '../driver.ts';
import {
  ConnectionLoss,
  connectionCode,
  describe,
  isFull,
  isInternal,
  isLoss,
  NoAnswer,
  NoPrimary,
  SilentConnection,
  sqlState,
  unavailable,
} from '../errors.ts';
import type { Target } from '../url.ts';
import { findPrimary, type Primary } from './primary-discovery.ts';
import { checkServer, verifyServer } from './primary-probe.ts';

/** Requests wait this long after a loss: a broken connection or a quick restart stays unnoticed. */
const GRACE_MS = 3_000;
/** How long statements on the old connections may still take if their server may be alive. */
const OLD_POOL_SECONDS = 1;
const PAUSE_AFTER_CHECKS_MS = 500;
/** The interval and the time limit of the heartbeat: an idle instance also notices within seconds that the primary is gone. */
const HEARTBEAT_MS = 1_000;

type ConnectedServer = Omit<Primary, 'sql'> & { readonly pool: Pool };

export class ConnectionManager {
  /** Undefined during a recovery. */
  private connected: ConnectedServer | undefined;
  private recovery: Promise<void> | undefined;
  private reason = 'PostgreSQL has not been reached yet';
  private lostAt = 0;
  private foundAt = 0;
  /** When the primary was last known to be well; and the same for the newest loss. */
  private wellAt = 0;
  private wellBeforeLoss = 0;
  private isProbing = false;
  private isClosed = false;
  private readonly heartbeat: ReturnType<typeof setInterval>;

  constructor(
    private readonly target: Target,
    private readonly settings: SessionSettings,
    /** Prepares every primary that was found before requests use it. Fails in time if the server goes silent. */
    private readonly prepare: (pool: Pool) => Promise<void>,
    private readonly notice: Notice,
  ) {
    this.heartbeat = setInterval(() => void this.probe(), HEARTBEAT_MS).unref();
  }

  /** Resolves when the primary was found or the search goes on; throws if searching again cannot help. */
  async open(): Promise<void> {
    this.wellAt = performance.now();
    const first = this.connectOnce();
    this.startRecovery(first.catch(() => undefined));
    try {
      await first;
    } catch (error) {
      const refusal = poolerProblem(error);
      if (refusal !== undefined) throw refusal;
      if (!isLoss(error) && !isFull(error)) throw cannotOpen(error);
      this.reason = describe(error);
      this.startRecovery(this.recover(undefined, error));
    }
  }

  get isUp(): boolean {
    return this.connected !== undefined;
  }

  /** Milliseconds since that moment during which the primary was gone, the time until the service noticed included. */
  awaySince(moment: number): number {
    const end = this.isUp ? this.foundAt : performance.now();
    return Math.max(0, end - Math.max(moment, this.wellBeforeLoss));
  }

  current(): Pool | Promise<Pool> {
    return this.connected?.pool ?? this.wait();
  }

  /** Reports a failure on a pool. Recovery starts, unless the pool was replaced already. */
  lost(error: unknown, pool: Pool): void {
    const { connected } = this;
    if (this.isClosed || connected?.pool !== pool) return;
    this.connected = undefined;
    this.reason = describe(error);
    this.startRecovery(this.recover(connected, error));
  }

  /** Closes all connections. The caller has waited for the requests in progress. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.heartbeat);
    await this.connected?.pool.close();
  }

  /** Checks the primary over the pool. If it does not answer, new connections show whether the server or only the pool is in trouble. */
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
    if (problem === undefined) this.wellAt = startedAt;
    else this.lost(problem, pool);
  }

  private async wait(): Promise<Pool> {
    const left = this.lostAt + GRACE_MS - performance.now();
    if (left > 0) await Promise.race([this.recovery, Bun.sleep(left)]);
    if (this.connected === undefined) throw unavailable(this.reason, 2);
    return this.connected.pool;
  }

  private startRecovery(recovery: Promise<void>): void {
    this.lostAt = performance.now();
    this.wellBeforeLoss = this.wellAt;
    this.recovery = recovery;
  }

  private async recover(before: ConnectedServer | undefined, loss: unknown): Promise<void> {
    if (before !== undefined && (await this.isWell(before, loss))) await this.use(before);
    else await this.findAgain(before, loss);
  }

  /** Whether only a connection broke. The pool replaces it then. */
  private async isWell({ server, identity }: ConnectedServer, loss: unknown): Promise<boolean> {
    const isReadOnly = sqlState(loss) === '25006' && this.target.needsWritable;
    if (loss instanceof ConnectionLoss || isReadOnly) return false;
    return (await checkServer(server, identity, this.settings)) === undefined;
  }

  private async findAgain(before: ConnectedServer | undefined, loss: unknown): Promise<void> {
    this.notice('warn', lossMessage(before, loss));
    void before?.pool.close(this.secondsToClose(loss));
    const failed = (error: unknown) => {
      this.reason = describe(error);
    };
    for (let logged = ''; !this.isClosed; await Bun.sleep(PAUSE_AFTER_CHECKS_MS)) {
      const primary = await findPrimary(this.target, this.settings, failed, () => this.isClosed);
      if (primary === undefined) return;
      try {
        await this.connect(primary);
        const seconds = ((this.foundAt - this.lostAt) / 1000).toFixed(1);
        return this.notice('info', `found the primary ${primary.server.name} after ${seconds} s`);
      } catch (error) {
        failed(error);
        // The server answers but cannot be used yet: the log says why, once.
        if (this.reason !== logged) {
          this.notice('warn', `the primary ${primary.server.name}: ${this.reason}; trying again`);
        }
        logged = this.reason;
      }
    }
  }

  /** A healthy server ends its statements by itself; a silent one answers none of them. */
  private secondsToClose(loss: unknown): number {
    if (loss instanceof SilentConnection) return this.settings.querySeconds;
    return loss instanceof NoAnswer ? 0 : OLD_POOL_SECONDS;
  }

  /** Asks every host once. Throws the failure of a host that cannot be reached rather than that of a standby. */
  private async connectOnce(): Promise<void> {
    let failure: unknown;
    const failed = (error: unknown) => {
      if (failure === undefined || failure instanceof NoPrimary) failure = error;
    };
    const primary = await findPrimary(this.target, this.settings, failed, (attempt) => attempt > 0);
    if (primary === undefined) throw failure;
    await this.connect(primary);
  }

  private async connect({ server, sql, identity }: Primary): Promise<void> {
    const silent = () => this.lost(new SilentConnection(), pool);
    const pool: Pool = new Pool(sql, { querySeconds: this.settings.querySeconds, silent });
    try {
      await this.prepare(pool);
    } catch (error) {
      await pool.close();
      throw error;
    }
    await this.use({ server, identity, pool });
  }

  private async use(connected: ConnectedServer): Promise<void> {
    this.foundAt = performance.now();
    this.wellAt = this.foundAt;
    this.connected = connected;
    if (this.isClosed) await connected.pool.close();
  }
}

function lossMessage(before: ConnectedServer | undefined, loss: unknown): string {
  if (loss instanceof SilentConnection) {
    return 'a connection to PostgreSQL does not answer: the service replaces all connections';
  }
  if (before === undefined) return `${describe(loss)}; trying again until it answers`;
  const { server, pool } = before;
  return `lost the primary ${server.name}: ${describe(loss)}; statements in flight: ${pool.inFlight.size}`;
}

function cannotOpen(error: unknown): unknown {
  if (error instanceof ConfigError || isInternal(error)) return error;
  const isCertificate = /CERT|SIGNATURE/.test(connectionCode(error));
  const problem = isCertificate ? 'the certificate of PostgreSQL is not accepted' : 'no connection to PostgreSQL';
  return new ConfigError(
    `${sqlState(error) === undefined ? problem : 'PostgreSQL refuses'}: ${(error as Error).message}`,
  );
}
