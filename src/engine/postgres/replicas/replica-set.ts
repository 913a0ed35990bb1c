/**
 * Chooses replicas for reads. A replica serves a read only if it is on the primary's timeline, holds every write of this instance,
 * and lags no more than the limit: a client that stays with one instance reads its own writes. The service asks all servers for
 * their positions regularly, never during a request. With `replicaReads: 'any'` a write returns its position instead, and a client
 * that sends it back reads that write on any instance.
 */
import type { SQL } from 'bun';
import { NEWEST, type WriteResult } from '../../engine.ts';
import { type SessionSettings, within } from '../driver.ts';
import { surelyUndone } from '../errors.ts';
import type { Notice } from '../notice.ts';
import { parseTarget } from '../url.ts';
import { type Position, parsePosition, printPosition, writtenPosition } from './position.ts';
import { Replica } from './replica.ts';

/** How often the service asks all servers for their positions. */
const ASK_MS = 250;
const ANSWER_MS = 2_000;
/** The interval while reads avoid a replica that lacks a write. */
const ASK_SOON_MS = 15;
/** Beyond every log sequence number: the primary's position is unknown. */
const UNKNOWN = 2n ** 64n;

export interface ReplicaSettings extends SessionSettings {
  /** A replica that lags more serves no reads. */
  readonly replicaLagSeconds: number;
  readonly replicaReads: 'own' | 'any';
}

export class ReplicaSet {
  private readonly replicas: readonly Replica[];
  private readonly timer: ReturnType<typeof setInterval>;
  private readonly usable = new Set<Replica>();
  /** Balanced addresses that the log has named. */
  private readonly rejected = new Set<Replica>();
  private primary: SQL | undefined;
  private timeline = 0;
  /** Past positions of the primary, oldest first. A replica that is cut off would not notice its lag by its own clock. */
  private past: { readonly at: number; readonly lsn: bigint }[] = [];
  /** The log sequence number after the newest write of this instance. */
  private needed = 0n;
  /** Writes that wait for their position; `needed` does not include them yet. */
  private readonly unplaced: ((position: Position | undefined) => void)[] = [];
  private placing: Promise<void> | undefined;
  /** Whether a read avoided a replica that lacks a write. */
  private hasAvoided = false;
  private soon: ReturnType<typeof setTimeout> | undefined;
  private next = 0;
  private isAskingPrimary = false;

  constructor(
    urls: readonly string[],
    private readonly settings: ReplicaSettings,
    private readonly notice: Notice,
  ) {
    this.replicas = urls.flatMap((url) => parseTarget(url).servers).map((server) => new Replica(server, settings));
    this.timer = setInterval(() => this.ask(), ASK_MS);
    this.ask();
  }

  /** The number of replicas that serve reads. */
  get near(): number {
    return this.usable.size;
  }

  /** The next replica that holds the write with that position; undefined if the primary must answer. */
  pick(after?: string): Replica | undefined {
    if (this.primary === undefined) return undefined;
    const least = this.least(after);
    for (let tried = 0; tried < this.replicas.length; tried++) {
      const replica = this.replicas[this.next++ % this.replicas.length]!;
      if (this.usable.has(replica) && (replica.position?.lsn ?? -1n) >= least) return replica;
    }
    this.hasAvoided = true;
    return undefined;
  }

  /**
   * Runs a write on the primary. From its answer on, reads stay with the primary until replicas hold the write. With 'any' only
   * reads that name its position do.
   */
  async during(write: () => Promise<WriteResult>): Promise<WriteResult> {
    let result: WriteResult;
    try {
      result = await write();
    } catch (error) {
      // The client looks for a write that may be stored: a replica might not have it yet.
      if (!surelyUndone(error)) void this.place();
      throw error;
    }
    const placed = this.place();
    if (this.settings.replicaReads === 'own') return result;
    const position = await placed;
    return { ...result, position: position === undefined ? NEWEST : printPosition(position) };
  }

  /** Serves no reads until it has answered again. */
  lost(replica: Replica): void {
    replica.position = undefined;
  }

  /** Starts with a new primary: positions of the old one do not apply to it. */
  async restart(primary: SQL): Promise<void> {
    this.primary = primary;
    this.past = [];
    for (const tell of this.unplaced.splice(0)) tell(undefined);
    this.needed = UNKNOWN;
    const { timeline, lsn } = await within(ANSWER_MS, writtenPosition(primary));
    this.timeline = timeline;
    for (const replica of this.replicas) this.judge(replica);
    this.needed = lsn;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    clearTimeout(this.soon);
    await Promise.all(this.replicas.map((replica) => replica.close()));
  }

  /** The log sequence number that a replica needs for this read. */
  private least(after: string | undefined): bigint {
    const position = after === undefined ? undefined : parsePosition(after);
    // A later timeline means that another instance knows a newer primary.
    const isKnown = position !== undefined && position.timeline <= this.timeline;
    const named = after === undefined ? 0n : isKnown ? position.lsn : UNKNOWN;
    if (this.settings.replicaReads === 'any') return named;
    const own = this.unplaced.length > 0 ? UNKNOWN : this.needed;
    return named > own ? named : own;
  }

  private place(): Promise<Position | undefined> {
    const { promise, resolve } = Promise.withResolvers<Position | undefined>();
    this.unplaced.push(resolve);
    this.placing ??= this.findPositions().finally(() => {
      this.placing = undefined;
    });
    return promise;
  }

  /** Asks for the position after all writes that were answered before, once for all of them. */
  private async findPositions(): Promise<void> {
    while (this.unplaced.length > 0 && this.primary !== undefined) {
      const { primary } = this;
      const { length } = this.unplaced;
      const position = await within(ANSWER_MS, writtenPosition(primary)).catch(() => undefined);
      if (primary !== this.primary) continue;
      // A primary that is gone may have stored the write: no replica serves reads until a primary answers.
      const lsn = position?.lsn ?? UNKNOWN;
      if (lsn > this.needed) this.needed = lsn;
      for (const tell of this.unplaced.splice(0, length)) tell(position);
    }
    this.askSoon();
  }

  private ask(): void {
    void this.askPrimary();
    this.askReplicas();
  }

  private askReplicas(): void {
    this.hasAvoided = false;
    for (const replica of this.replicas) void replica.ask().then(() => this.judge(replica));
  }

  /** Asks again soon while reads avoid a replica that lacks a write. */
  private askSoon(): void {
    clearTimeout(this.soon);
    this.askReplicas();
    this.soon = setTimeout(() => {
      const isBehind = [...this.usable].some(({ position }) => (position?.lsn ?? this.needed) < this.needed);
      if (isBehind && this.hasAvoided && this.needed !== UNKNOWN) this.askSoon();
    }, ASK_SOON_MS).unref();
  }

  private async askPrimary(): Promise<void> {
    const { primary } = this;
    if (primary === undefined || this.isAskingPrimary) return;
    this.isAskingPrimary = true;
    const at = performance.now();
    const isUnknown = this.needed === UNKNOWN && this.unplaced.length === 0;
    try {
      const { timeline, lsn } = await within(ANSWER_MS, writtenPosition(primary));
      if (primary === this.primary) {
        this.timeline = timeline;
        this.past.push({ at, lsn });
        for (const replica of this.replicas) this.compare(replica, at, lsn);
        // The primary answers again: it holds everything that it has stored.
        if (isUnknown && this.unplaced.length === 0) this.needed = lsn;
      }
    } catch {
      // The heartbeat notices this. A replica lags no further behind a primary that is gone.
    }
    this.isAskingPrimary = false;
  }

  /** A replica is ahead if the primary, asked after the replica's answer, has not come as far. */
  private compare(replica: Replica, at: number, lsn: bigint): void {
    const { position, answeredAt } = replica;
    if (position === undefined) return;
    if (position.lsn <= lsn) replica.isAhead = false;
    else if (answeredAt < at) replica.isAhead = true;
    this.judge(replica);
  }

  private judge(replica: Replica): void {
    if (replica.isBalanced && !this.rejected.has(replica)) {
      this.rejected.add(replica);
      this.notice(
        'warn',
        `the replica ${replica.name} is the address of several servers: the service does not read from it. Name every replica by its own address in DATABASE_REPLICA_URLS`,
      );
    }
    const problem = this.problemOf(replica);
    if ((problem === undefined) === this.usable.has(replica)) return;
    if (problem === undefined) this.usable.add(replica);
    else this.usable.delete(replica);
    if (problem === undefined) this.notice('info', `reading from the replica ${replica.name}`);
    else this.notice('warn', `the replica ${replica.name} ${problem}: it serves no reads for now`);
  }

  /** Why a replica must not serve reads; undefined if it may. */
  private problemOf({ position, isAhead, problem }: Replica): string | undefined {
    if (position === undefined) return problem;
    if (position.timeline !== this.timeline) {
      const remedy = position.lacksMonitor ? ' (Grant pg_monitor to its role: without it the timeline may be old)' : '';
      return `is on timeline ${position.timeline}, not ${this.timeline}${remedy}`;
    }
    if (isAhead) return 'is ahead of the primary';
    return position.lsn < this.expected() ? 'is too far behind' : undefined;
  }

  /** The least position of a replica within the lag limit: the primary's position that long ago. */
  private expected(): bigint {
    const then = performance.now() - this.settings.replicaLagSeconds * 1000;
    const later = this.past.findIndex(({ at }) => at > then);
    this.past.splice(0, later === -1 ? this.past.length - 1 : later - 1);
    const [oldest] = this.past;
    return oldest !== undefined && oldest.at <= then ? oldest.lsn : 0n;
  }
}
