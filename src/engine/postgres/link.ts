/**
 * The way to the server that writes, kept open: it finds it among the hosts of the URL, notices when it is lost, and
 * looks for it again with growing pauses. Meanwhile a request waits for a moment, and is then refused with 503.
 */
import type { SQL } from 'bun';
import { ConfigError } from '../../config.ts';
import { NoAnswer, type SessionSettings } from './driver.ts';
import { findAtLast, findOnce, NoSuchServer, type Search } from './finding.ts';
import { absence, Elsewhere, type Reached } from './identity.ts';
import { LostAnswer, lostAnswer, type SharedRead } from './lost-answers.ts';
import type { Notice } from './notice.ts';
import { refusedByPooler } from './pooling.ts';
import { describe, isCertificateProblem, isFull, isInternal, isLoss, sqlState, unavailable } from './refusals.ts';
import type { Target } from './url.ts';

/** A dropped connection or a quick restart is bridged; a longer loss is answered at once. */
const GRACE_MS = 3_000;
/** What queries under way on the old connections still get, where their server may be there. They go before new ones are opened. */
const OLD_POOL_SECONDS = 1;
/** And where just one connection was silent. */
const WELL_POOL_SECONDS = 5;
const PAUSE_AFTER_CHECKS_MS = 500;

export class Link {
  private reached: Reached | undefined;
  private recovering: Promise<void> | undefined;
  private lostAt = 0;
  private foundAt = 0;
  private reason = 'PostgreSQL has not been reached yet';
  private isDoubted = false;
  /** Pools that were given up, while statements on them may still be answered. */
  private readonly leaving = new Set<SQL>();
  private readonly search: Search;
  private closed = false;

  constructor(
    private readonly target: Target,
    private readonly settings: SessionSettings,
    /** Done on every server that is found, before anything else is. It ends in time where the server falls silent. */
    private readonly prepare: (pool: SQL) => Promise<void>,
    private readonly notice: Notice,
  ) {
    // The driver would replace a connection that closes, whichever server answers by then.
    this.search = { target, settings, ended: () => void this.doubt() };
  }

  /** Resolves when the server was found, or is being looked for; throws where looking again would not help. */
  async open(): Promise<void> {
    this.lostAt = performance.now();
    const first = findOnce(this.search).then((reached) => this.take(reached));
    // Requests that come meanwhile wait for it, and no longer than they would for a recovery.
    this.recovering = first.catch(() => undefined);
    try {
      await first;
      this.recovering = undefined;
    } catch (error) {
      this.recovering = undefined;
      const refused = refusedByPooler(error);
      if (refused !== undefined) throw refused;
      if (!isLoss(error) && !isFull(error) && !(error instanceof NoSuchServer)) throw cannotOpen(error);
      this.lost(error);
    }
  }

  get isUp(): boolean {
    return this.reached !== undefined && this.recovering === undefined;
  }

  /** Milliseconds of the newest loss, from that moment on. */
  awaySince(moment: number): number {
    const end = this.recovering === undefined ? this.foundAt : performance.now();
    return Math.max(0, end - Math.max(moment, this.lostAt));
  }

  current(): SQL | Promise<SQL> {
    if (this.reached !== undefined && this.recovering === undefined) return this.reached.pool;
    return this.wait();
  }

  /** Told by whoever met the loss; `pool` is the one that was used. */
  lost(error: unknown, pool = this.reached?.pool): void {
    if (this.closed || this.recovering !== undefined || pool !== this.reached?.pool) return;
    this.lostAt = performance.now();
    this.reason = reasonOf(error);
    this.recovering = this.recover(error);
  }

  /**
   * While work takes long, or after a connection has closed: the server is asked whether it is there, and is lost where it is not. So it
   * is where a connection has fallen silent. Told is what is wrong; `oldest` is the read that has waited longest on a shared connection.
   */
  async doubt(oldest?: () => SharedRead | undefined): Promise<unknown | undefined> {
    const { reached } = this;
    if (this.isDoubted || this.closed || this.recovering !== undefined || reached === undefined) return undefined;
    this.isDoubted = true;
    const { server, identity, pool } = reached;
    const problem = await absence(server, this.settings, identity.name, async (probe) => {
      for (const each of this.leaving) await lostAnswer(probe, each);
      return lostAnswer(probe, pool, oldest);
    });
    this.isDoubted = false;
    if (problem !== undefined) this.lost(problem, pool);
    return problem;
  }

  /** Whoever closes has waited for the work under way. */
  async close(): Promise<void> {
    this.closed = true;
    const pools = [...this.leaving, ...(this.reached === undefined ? [] : [this.reached.pool])];
    await Promise.all(pools.map((pool) => pool.close({ timeout: 0 })));
  }

  private async wait(): Promise<SQL> {
    const left = this.lostAt + GRACE_MS - performance.now();
    if (left > 0) await Promise.race([this.recovering?.then(() => Bun.sleep(0)), Bun.sleep(left)]);
    if (this.reached === undefined || this.recovering !== undefined) throw unavailable(this.reason, 2);
    return this.reached.pool;
  }

  private async recover(error: unknown): Promise<void> {
    if (!(await this.isSameServer(error))) await this.findAgain(error);
    this.foundAt = performance.now();
    this.recovering = undefined;
  }

  /** One connection broke, and the server is as it was: its pool replaces what broke. */
  private async isSameServer(error: unknown): Promise<boolean> {
    const { reached } = this;
    const isOver = error instanceof NoAnswer || error instanceof Elsewhere || error instanceof LostAnswer;
    // One that takes no more writes is another server to those who need one that does.
    if (reached === undefined || isOver || (sqlState(error) === '25006' && this.target.needsWritable)) return false;
    return (await absence(reached.server, this.settings, reached.identity.name)) === undefined;
  }

  private async findAgain(loss: unknown): Promise<void> {
    if (this.reached !== undefined) void this.leave(this.reached.pool, loss);
    this.reached = undefined;
    let told = false;
    const failed = (error: unknown) => {
      this.reason = reasonOf(error);
      if (!told) this.notice('warn', `${this.reason}; trying again until it is there`);
      told = true;
    };
    while (!this.closed) {
      const found = await findAtLast(this.search, failed, () => this.closed);
      if (found === undefined) return;
      try {
        await this.take(found);
        if (told) this.notice('info', 'PostgreSQL is reached');
        return;
      } catch (error) {
        failed(error);
      }
      await Bun.sleep(PAUSE_AFTER_CHECKS_MS);
    }
  }

  /** A role may have no more connections than these: they go first. */
  private async leave(pool: SQL, loss: unknown): Promise<void> {
    const isWell = loss instanceof LostAnswer;
    if (isWell) this.notice('warn', 'a connection to PostgreSQL has fallen silent: all are opened anew');
    this.leaving.add(pool);
    // Those of a silent server will not answer any more.
    await pool.close({ timeout: isWell ? WELL_POOL_SECONDS : loss instanceof NoAnswer ? 0 : OLD_POOL_SECONDS });
    this.leaving.delete(pool);
  }

  private async take(found: Reached): Promise<void> {
    try {
      await this.prepare(found.pool);
    } catch (error) {
      await found.pool.close({ timeout: 0 });
      throw error;
    }
    this.reached = found;
    if (this.closed) await found.pool.close({ timeout: 0 });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof NoSuchServer ? error.message : describe(error);
}

function cannotOpen(error: unknown): unknown {
  if (error instanceof ConfigError || isInternal(error)) return error;
  return new ConfigError(`${obstacle(error)}: ${(error as Error).message}`);
}

function obstacle(error: unknown): string {
  if (sqlState(error) !== undefined) return 'PostgreSQL refuses';
  return isCertificateProblem(error) ? 'the certificate of PostgreSQL is not accepted' : 'no connection to PostgreSQL';
}
