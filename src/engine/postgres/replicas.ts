/**
 * Reads on standbys. A standby serves a read only while it is known to hold every write that this instance has made,
 * and to be no further behind the primary than the limit: a client reads its own writes as long as it stays with one
 * instance. Positions are those of the write-ahead log, asked for beside the requests and never by them. Where any standby will do,
 * a write waits for its position and tells it, and a client that sends it back reads that write, on whichever instance.
 */
import type { SQL } from 'bun';
import { NEWEST, type WriteResult } from '../engine.ts';
import { type SessionSettings, within } from './driver.ts';
import type { LostAnswer, SharedRead } from './lost-answers.ts';
import type { Notice } from './notice.ts';
import { surelyUndone } from './refusals.ts';
import { Replica, writtenTo } from './replica.ts';
import { parseTarget } from './url.ts';

/** How often all servers are asked where they are. */
const ASK_MS = 250;
const ANSWER_MS = 2_000;
/** And how soon again, while a standby lacks a write and reads are kept from it. */
const ASK_SOON_MS = 15;
/** Beyond every position: nobody knows how far the primary has come. */
const UNKNOWN = 2n ** 64n;
const POSITION = /^\d{1,19}$/;

export interface ReplicaSettings extends SessionSettings {
  /** A standby that is further behind than this is left out, even for those who have written nothing. */
  readonly replicaLagSeconds: number;
  readonly replicaReads: 'own' | 'any';
}

export class Replicas {
  private readonly replicas: readonly Replica[];
  private readonly timer: ReturnType<typeof setInterval>;
  private readonly inUse = new Set<Replica>();
  /** Addresses that are of no use, and were told of. */
  private readonly refused = new Set<Replica>();
  private primary: SQL | undefined;
  /** Where the primary was, oldest first. By its own clock alone, a standby that was cut off would never seem late. */
  private past: { readonly at: number; readonly position: bigint }[] = [];
  /** The log's position after the newest write of this instance, */
  private needed = 0n;
  /** but for writes that were done since it was asked for: these wait to be told theirs. */
  private readonly unplaced: ((position: bigint) => void)[] = [];
  private placing: Promise<void> | undefined;
  /** Whether a read was kept from a standby because it lacks a write. */
  private isKeptOff = false;
  private soon: ReturnType<typeof setTimeout> | undefined;
  private next = 0;
  private askingPrimary = false;

  constructor(
    urls: readonly string[],
    private readonly settings: ReplicaSettings,
    private readonly notice: Notice,
  ) {
    this.replicas = urls.flatMap((url) => parseTarget(url).servers).map((server) => new Replica(server, settings));
    this.timer = setInterval(() => this.ask(), ASK_MS);
    this.ask();
  }

  /** How many standbys are near enough to read from. */
  get near(): number {
    return this.inUse.size;
  }

  /** A standby that may answer now, after the write with that position; taken in turn, undefined where the primary must. */
  pick(after?: string): Replica | undefined {
    if (this.primary === undefined) return undefined;
    const least = this.least(after);
    for (let tried = 0; tried < this.replicas.length; tried++) {
      const replica = this.replicas[this.next++ % this.replicas.length]!;
      if (this.inUse.has(replica) && replica.reached! >= least) return replica;
    }
    this.isKeptOff = true;
    return undefined;
  }

  /**
   * A write on the primary: from its answer on, and until its position is known and replayed, readers stay with the primary, or those
   * who name it. While it is under way nobody can have read it yet.
   */
  async during(write: () => Promise<WriteResult>): Promise<WriteResult> {
    let result: WriteResult;
    try {
      result = await write();
    } catch (error) {
      // One that may be stored all the same is looked for by its client: not where it may be missing.
      if (!surelyUndone(error)) void this.place();
      throw error;
    }
    const placed = this.place();
    if (this.settings.replicaReads === 'own') return result;
    const position = await placed;
    return { ...result, position: position === UNKNOWN ? NEWEST : String(position) };
  }

  /** Left out until it has answered again. */
  lost(replica: Replica): void {
    replica.reached = undefined;
    this.judge(replica);
  }

  /** While reads on them take long. Told is whether an answer was lost. */
  async doubt(oldest: () => SharedRead | undefined): Promise<LostAnswer | undefined> {
    const lost = await Promise.all(this.replicas.map((replica) => replica.doubt(oldest)));
    return lost.find((each) => each !== undefined);
  }

  /** After a failover the positions of the old primary mean nothing: what counts is what the new one has. */
  async restart(primary: SQL): Promise<void> {
    this.primary = primary;
    this.past = [];
    for (const tell of this.unplaced.splice(0)) tell(UNKNOWN);
    this.needed = UNKNOWN;
    this.needed = await within(ANSWER_MS, writtenTo(primary));
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    clearTimeout(this.soon);
    await Promise.all(this.replicas.map((replica) => replica.close()));
  }

  private least(after: string | undefined): bigint {
    // What is no position of ours is one that no standby is known to have.
    const named = after === undefined ? 0n : POSITION.test(after) ? BigInt(after) : UNKNOWN;
    if (this.settings.replicaReads === 'any') return named;
    const own = this.unplaced.length > 0 ? UNKNOWN : this.needed;
    return named > own ? named : own;
  }

  private place(): Promise<bigint> {
    const { promise, resolve } = Promise.withResolvers<bigint>();
    this.unplaced.push(resolve);
    this.placing ??= this.findPositions().finally(() => {
      this.placing = undefined;
    });
    return promise;
  }

  /** Where the log is after the writes, asked for beside their answers, and once for all that were answered before. */
  private async findPositions(): Promise<void> {
    while (this.unplaced.length > 0 && this.primary !== undefined) {
      const { primary } = this;
      const { length } = this.unplaced;
      const position = await within(ANSWER_MS, writtenTo(primary)).catch(() => UNKNOWN);
      if (primary !== this.primary) continue;
      // A primary that is gone may have stored a write all the same: nobody is sent to a standby until one is back.
      if (position > this.needed) this.needed = position;
      for (const tell of this.unplaced.splice(0, length)) tell(position);
    }
    this.askSoon();
  }

  private ask(): void {
    void this.askPrimary();
    this.askStandbys();
  }

  private askStandbys(): void {
    this.isKeptOff = false;
    for (const replica of this.replicas) void replica.ask().then(() => this.judge(replica));
  }

  /** While reads are kept from a standby that lacks a write, it is asked again before long. */
  private askSoon(): void {
    clearTimeout(this.soon);
    this.askStandbys();
    this.soon = setTimeout(() => {
      const isBehind = [...this.inUse].some((replica) => (replica.reached ?? this.needed) < this.needed);
      if (isBehind && this.isKeptOff && this.needed !== UNKNOWN) this.askSoon();
    }, ASK_SOON_MS).unref();
  }

  private async askPrimary(): Promise<void> {
    const { primary } = this;
    if (primary === undefined || this.askingPrimary) return;
    this.askingPrimary = true;
    const at = performance.now();
    const isUnknown = this.needed === UNKNOWN && this.unplaced.length === 0;
    try {
      const position = await within(ANSWER_MS, writtenTo(primary));
      if (primary === this.primary) {
        this.past.push({ at, position });
        // It answers again: whatever it has stored is not beyond this.
        if (isUnknown && this.unplaced.length === 0) this.needed = position;
      }
    } catch {
      // Whoever reads or writes there will notice. A standby is no further behind a primary that is gone.
    }
    this.askingPrimary = false;
  }

  private judge(replica: Replica): void {
    if (replica.isBalanced && !this.refused.has(replica)) {
      this.refused.add(replica);
      this.notice(
        'warn',
        `the standby ${replica.name} ${replica.problem}: it is not read from. Name every standby by its own address in DATABASE_REPLICA_URLS`,
      );
    }
    const isNear = replica.reached !== undefined && replica.reached >= this.expected();
    if (isNear === this.inUse.has(replica)) return;
    if (isNear) this.inUse.add(replica);
    else this.inUse.delete(replica);
    if (isNear) this.notice('info', `reading from the standby ${replica.name}`);
    else this.notice('warn', `the standby ${replica.name} ${replica.problem}: it is left out until it is back`);
  }

  /** Where a standby is that is just near enough: where the primary was that long ago. */
  private expected(): bigint {
    const then = performance.now() - this.settings.replicaLagSeconds * 1000;
    const later = this.past.findIndex(({ at }) => at > then);
    this.past.splice(0, later === -1 ? this.past.length - 1 : later - 1);
    const [oldest] = this.past;
    return oldest !== undefined && oldest.at <= then ? oldest.position : 0n;
  }
}
