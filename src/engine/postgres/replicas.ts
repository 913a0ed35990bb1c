/**
 * Reads on standbys. A standby serves a read only while it is known to hold every write that this instance has made,
 * and to be no further behind the primary than the limit: a client reads its own writes as long as it stays with one
 * instance. Positions are those of the write-ahead log, asked for beside the requests and never by them.
 */
import type { SQL } from 'bun';
import { type SessionSettings, within } from './driver.ts';
import type { Notice } from './link.ts';
import { Replica, writtenTo } from './replica.ts';
import { parseTarget } from './url.ts';

/** How often all servers are asked where they are. */
const ASK_MS = 250;
const ANSWER_MS = 2_000;
/** Beyond every position: nobody knows how far the primary has come. */
const UNKNOWN = 2n ** 64n;

export interface ReplicaSettings extends SessionSettings {
  /** A standby that is further behind than this is left out, even for those who have written nothing. */
  readonly replicaLagSeconds: number;
}

export class Replicas {
  private readonly replicas: readonly Replica[];
  private readonly timer: ReturnType<typeof setInterval>;
  private readonly inUse = new Set<Replica>();
  private primary: SQL | undefined;
  /** Where the primary was, oldest first. By its own clock alone, a standby that was cut off would never seem late. */
  private past: { readonly at: number; readonly position: bigint }[] = [];
  /** The log's position after the newest write of this instance. Unknown while a write is under way. */
  private needed = 0n;
  private writing = 0;
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

  /** A standby that may answer now, taken in turn; undefined where the primary must. */
  pick(): Replica | undefined {
    if (this.primary === undefined || this.writing > 0) return undefined;
    for (let tried = 0; tried < this.replicas.length; tried++) {
      const replica = this.replicas[this.next++ % this.replicas.length]!;
      if (this.inUse.has(replica) && replica.reached! >= this.needed) return replica;
    }
    return undefined;
  }

  /** A write on the primary: until its position is known, and replayed, its readers stay with the primary. */
  async during<T>(primary: SQL, write: () => Promise<T>): Promise<T> {
    this.writing++;
    try {
      return await write();
    } finally {
      try {
        const position = await writtenTo(primary);
        if (primary === this.primary && position > this.needed) this.needed = position;
      } catch {
        // A primary that is gone may have stored the write all the same: nobody is sent to a standby until one is back.
        if (primary === this.primary) this.needed = UNKNOWN;
      }
      this.writing--;
    }
  }

  /** Left out until it has answered again. */
  lost(replica: Replica): void {
    replica.reached = undefined;
    this.judge(replica);
  }

  /** After a failover the positions of the old primary mean nothing: what counts is what the new one has. */
  async restart(primary: SQL): Promise<void> {
    this.primary = primary;
    this.past = [];
    this.needed = 0n;
    await this.during(primary, async () => undefined);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.replicas.map((replica) => replica.close()));
  }

  private ask(): void {
    void this.askPrimary();
    for (const replica of this.replicas) void replica.ask().then(() => this.judge(replica));
  }

  private async askPrimary(): Promise<void> {
    const { primary } = this;
    if (primary === undefined || this.askingPrimary) return;
    this.askingPrimary = true;
    const at = performance.now();
    try {
      const position = await within(ANSWER_MS, writtenTo(primary));
      if (primary === this.primary) {
        this.past.push({ at, position });
        // It answers again: whatever it has stored is not beyond this.
        if (this.needed === UNKNOWN && this.writing === 0) this.needed = position;
      }
    } catch {
      // Whoever reads or writes there will notice. A standby is no further behind a primary that is gone.
    }
    this.askingPrimary = false;
  }

  private judge(replica: Replica): void {
    const isNear = replica.reached !== undefined && replica.reached >= this.expected();
    if (isNear === this.inUse.has(replica)) return;
    if (isNear) this.inUse.add(replica);
    else this.inUse.delete(replica);
    if (isNear) this.notice('info', `reading from the standby ${replica.name}`);
    else this.notice('warn', `the standby ${replica.name} ${problem(replica)}: it is left out until it is back`);
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

function problem(replica: Replica): string {
  return replica.reached === undefined ? 'does not answer' : 'is too far behind';
}
