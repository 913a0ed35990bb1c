/**
 * Chooses replicas for reads. A replica serves a read only if it is on the primary's timeline, holds every write of
 * this instance, and lags no more than the limit: a client that stays with one instance reads its own writes. The
 * service asks all servers for their positions regularly, never during a request. With `replicaReads: 'any'` a write
 * returns its position instead, and a client that sends it back reads that write on any instance.
 */
import { NEWEST, type WriteResult } from '../../engine.ts';
import { type Notice, type Runner, type SessionSettings, within } from '../driver.ts';
import { parseTarget } from '../url.ts';
import { UnconfirmedCommit } from '../write/transaction.ts';
import { type Position, parsePosition, printPosition, Replica, writtenPosition } from './replica.ts';

const ASK_MS = 250;
const ANSWER_MS = 2_000;
const ASK_SOON_MS = 15;
/** Beyond every log sequence number: the primary's position is unknown. */
const UNKNOWN_LSN = 2n ** 64n;

export interface ReplicaSettings extends SessionSettings {
  /** A replica that lags more serves no reads. */
  readonly replicaLagSeconds: number;
  readonly replicaReads: 'own' | 'any';
}

export class ReplicaSet {
  private readonly replicas: readonly Replica[];
  private readonly timer: ReturnType<typeof setInterval>;
  private readonly usable = new Set<Replica>();
  private primary: Runner | undefined;
  private timeline = 0;
  /** Past positions of the primary, oldest first. A replica without a stream cannot measure its lag by its clock. */
  private history: { readonly at: number; readonly lsn: bigint }[] = [];
  /** The log sequence number after the newest write of this instance. */
  private ownLsn = 0n;
  /** Writes that wait for their position; `ownLsn` does not include them yet. */
  private readonly positionRequests: ((position: Position | undefined) => void)[] = [];
  private answering: Promise<void> | undefined;
  /** Whether a read avoided a replica that lacks a write. */
  private hasAvoided = false;
  private soonTimer: ReturnType<typeof setTimeout> | undefined;
  private next = 0;
  private isAskingPrimary = false;

  constructor(
    urls: readonly string[],
    private readonly settings: ReplicaSettings,
    private readonly notice: Notice,
  ) {
    const servers = urls.flatMap((url) => parseTarget(url).servers);
    this.replicas = servers.map((server) => new Replica(server, settings, notice));
    this.timer = setInterval(() => this.ask(), ASK_MS);
    this.ask();
  }

  get usableCount(): number {
    return this.usable.size;
  }

  /** The next replica that holds the write with that position; undefined if the primary must answer. */
  pick(after?: string): Replica | undefined {
    if (this.primary === undefined) return undefined;
    const required = this.requiredLsn(after);
    for (let tried = 0; tried < this.replicas.length; tried++) {
      const replica = this.replicas[this.next++ % this.replicas.length]!;
      if (this.usable.has(replica) && (replica.position?.lsn ?? -1n) >= required) return replica;
    }
    this.hasAvoided = true;
    return undefined;
  }

  /**
   * Runs a write on the primary. From its answer on, reads stay with the primary until replicas hold the write. With
   * 'any' only reads that name its position do.
   */
  async trackWrite(write: () => Promise<readonly WriteResult[]>): Promise<readonly WriteResult[]> {
    let results: readonly WriteResult[];
    try {
      results = await write();
    } catch (error) {
      // The client looks for a write that may be stored: a replica might not have it yet.
      if (error instanceof UnconfirmedCommit) void this.requestPosition();
      throw error;
    }
    const request = this.requestPosition();
    if (this.settings.replicaReads === 'own') return results;
    const reached = await request;
    const position = reached === undefined ? NEWEST : printPosition(reached);
    return results.map((result) => ({ ...result, position }));
  }

  /** Reports a failure: the replica serves no reads until it has answered again. */
  reportLoss(replica: Replica): void {
    replica.position = undefined;
  }

  /** Starts with a new primary: positions of the old one do not apply to it. */
  async restart(primary: Runner): Promise<void> {
    this.primary = primary;
    this.history = [];
    for (const resolve of this.positionRequests.splice(0)) resolve(undefined);
    this.ownLsn = UNKNOWN_LSN;
    const { timeline, lsn } = await within(ANSWER_MS, writtenPosition(primary));
    this.timeline = timeline;
    for (const replica of this.replicas) this.updateUsable(replica);
    this.ownLsn = lsn;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    clearTimeout(this.soonTimer);
    await Promise.all(this.replicas.map((replica) => replica.close()));
  }

  /** The log sequence number that a replica needs for this read. */
  private requiredLsn(after: string | undefined): bigint {
    const position = after === undefined ? undefined : parsePosition(after);
    // A later timeline means that another instance knows a newer primary.
    const isOnTimeline = position !== undefined && position.timeline <= this.timeline;
    const requestedLsn = after === undefined ? 0n : isOnTimeline ? position.lsn : UNKNOWN_LSN;
    if (this.settings.replicaReads === 'any') return requestedLsn;
    const own = this.positionRequests.length > 0 ? UNKNOWN_LSN : this.ownLsn;
    return requestedLsn > own ? requestedLsn : own;
  }

  private requestPosition(): Promise<Position | undefined> {
    const { promise, resolve } = Promise.withResolvers<Position | undefined>();
    this.positionRequests.push(resolve);
    this.answering ??= this.answerRequests().finally(() => {
      this.answering = undefined;
    });
    return promise;
  }

  /** Asks for the position after all writes that were answered before, once for all of them. */
  private async answerRequests(): Promise<void> {
    while (this.positionRequests.length > 0 && this.primary !== undefined) {
      const { primary } = this;
      const { length } = this.positionRequests;
      const position = await within(ANSWER_MS, writtenPosition(primary)).catch(() => undefined);
      if (primary !== this.primary) continue;
      // A lost primary may have stored the write: no replica serves reads until a primary responds.
      const lsn = position?.lsn ?? UNKNOWN_LSN;
      if (lsn > this.ownLsn) this.ownLsn = lsn;
      for (const resolve of this.positionRequests.splice(0, length)) resolve(position);
    }
    this.askSoon();
  }

  private ask(): void {
    void this.askPrimary();
    this.askReplicas();
  }

  private askReplicas(): void {
    this.hasAvoided = false;
    for (const replica of this.replicas) void replica.ask().then(() => this.updateUsable(replica));
  }

  /** Asks again soon while reads avoid a replica that lacks a write. */
  private askSoon(): void {
    clearTimeout(this.soonTimer);
    this.askReplicas();
    this.soonTimer = setTimeout(() => {
      const isBehind = [...this.usable].some(({ position }) => (position?.lsn ?? this.ownLsn) < this.ownLsn);
      if (isBehind && this.hasAvoided && this.ownLsn !== UNKNOWN_LSN) this.askSoon();
    }, ASK_SOON_MS).unref();
  }

  private async askPrimary(): Promise<void> {
    const { primary } = this;
    if (primary === undefined || this.isAskingPrimary) return;
    this.isAskingPrimary = true;
    const at = performance.now();
    const isUnknown = this.ownLsn === UNKNOWN_LSN && this.positionRequests.length === 0;
    // The heartbeat detects a failure. A replica lags no further behind a primary that is down.
    const position = await within(ANSWER_MS, writtenPosition(primary)).catch(() => undefined);
    this.isAskingPrimary = false;
    if (position === undefined || primary !== this.primary) return;
    const { timeline, lsn } = position;
    this.timeline = timeline;
    this.history.push({ at, lsn });
    for (const replica of this.replicas) this.checkAhead(replica, at, lsn);
    // The primary answers again: it holds everything that it has stored.
    if (isUnknown && this.positionRequests.length === 0) this.ownLsn = lsn;
  }

  /** A replica is ahead if the primary, asked after the replica's answer, has not come as far. */
  private checkAhead(replica: Replica, at: number, lsn: bigint): void {
    const { position, answeredAt } = replica;
    if (position === undefined) return;
    if (position.lsn <= lsn) replica.isAhead = false;
    else if (answeredAt < at) replica.isAhead = true;
    this.updateUsable(replica);
  }

  private updateUsable(replica: Replica): void {
    const problem = this.problemOf(replica);
    if ((problem === undefined) === this.usable.has(replica)) return;
    if (problem === undefined) {
      this.usable.add(replica);
      this.notice('info', `reading from the replica ${replica.name}`);
    } else {
      this.usable.delete(replica);
      this.notice('warn', `the replica ${replica.name} ${problem}: it serves no reads for now`);
    }
  }

  /** Why a replica must not serve reads; undefined if it may. */
  private problemOf({ position, isAhead, problem }: Replica): string | undefined {
    if (position === undefined) return problem;
    if (position.timeline !== this.timeline) {
      const remedy = position.lacksMonitor ? ' (Grant pg_monitor to its role: without it the timeline may be old)' : '';
      return `is on timeline ${position.timeline}, not ${this.timeline}${remedy}`;
    }
    if (isAhead) return 'is ahead of the primary';
    return position.lsn < this.lowestLsn() ? 'is too far behind' : undefined;
  }

  /** The least position of a replica within the lag limit: the primary's position that long ago. */
  private lowestLsn(): bigint {
    const then = performance.now() - this.settings.replicaLagSeconds * 1000;
    const later = this.history.findIndex(({ at }) => at > then);
    this.history.splice(0, later === -1 ? this.history.length - 1 : later - 1);
    const [oldest] = this.history;
    return oldest !== undefined && oldest.at <= then ? oldest.lsn : 0n;
  }
}
