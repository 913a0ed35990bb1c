/**
 * The one writer: quick writes that arrive while a commit is under way wait for it and share the next one. A costly write has a
 * commit of its own, and after each of them it is the turn of the quick ones. Costly dry runs come last, and give way to others
 * that arrive meanwhile. The commits themselves run on a thread of their own, so that syncing the disk never holds up a read.
 */
import { Refusal } from '../../errors.ts';
import { DRY_RUN_GIVES_WAY_MS, MAX_QUEUE_SECONDS, MAX_WAITING_WRITES, MAX_WRITES_PER_COMMIT } from '../../limits.ts';
import type { MaybePromise, WriteResult } from '../engine.ts';
import type { Job } from './jobs.ts';
import { type GaveWayOutcome, type Outcome, settle } from './outcome.ts';

/** The outcomes of the first of the jobs, or of all: a commit does not last for ever. The others are for the next one. */
export type Commit = (jobs: readonly Job[]) => MaybePromise<readonly Outcome[]>;

interface Waiting {
  job: Job;
  readonly resolve: (result: WriteResult) => void;
  readonly reject: (error: unknown) => void;
  /** How long a costly one may still wait for its turn; that ends when it is its turn. */
  patienceMs: number;
  itsTurn?: () => void;
}

export interface WriterOptions {
  readonly queueSeconds?: number;
  readonly givesWayMs?: number;
  /** Asks the dry run that is under way to give way. */
  readonly askToGiveWay?: () => void;
}

export class Writer {
  /** So far, for the metrics. */
  commits = 0;
  writes = 0;
  private readonly quick: Waiting[] = [];
  private readonly costly: Waiting[] = [];
  private busy = false;
  private idle: (() => void) | undefined;
  /** Whether a costly dry run is under way. */
  private isTrying = false;
  private asking: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly commit: Commit,
    private readonly options: WriterOptions = {},
  ) {}

  write(job: Job, isQuick: boolean): Promise<WriteResult> {
    return new Promise((resolve, reject) => {
      const { queueSeconds = MAX_QUEUE_SECONDS } = this.options;
      const waiting: Waiting = { job, resolve, reject, patienceMs: queueSeconds * 1000 };
      if (isQuick) this.quick.push(waiting);
      else if (this.costly.length >= MAX_WAITING_WRITES) reject(tooManyWrites());
      else this.queue(waiting);
      this.askToGiveWay();
      if (!this.busy) {
        this.busy = true;
        // After the requests that are being read in this turn of the event loop, so that they share a commit.
        setImmediate(() => this.drain());
      }
    });
  }

  get waitingCount(): number {
    return this.quick.length + this.costly.length;
  }

  /** Resolves when every write so far is settled. */
  async settled(): Promise<void> {
    if (this.busy) await new Promise<void>((resolve) => (this.idle = resolve));
  }

  private queue(waiting: Waiting, place = this.costly.length): void {
    this.costly.splice(place, 0, waiting);
    const since = performance.now();
    const timer = setTimeout(() => {
      this.costly.splice(this.costly.indexOf(waiting), 1);
      waiting.reject(tooManyWrites());
    }, waiting.patienceMs);
    waiting.itsTurn = () => {
      clearTimeout(timer);
      waiting.patienceMs -= performance.now() - since;
    };
  }

  private async drain(): Promise<void> {
    while (this.waitingCount > 0) {
      await this.carryOut(this.quick.splice(0, MAX_WRITES_PER_COMMIT));
      const costly = this.nextCostly();
      if (costly === undefined) continue;
      costly.itsTurn?.();
      this.isTrying = costly.job.dryRun;
      await this.carryOut([costly]);
    }
    this.busy = false;
    this.idle?.();
  }

  private nextCostly(): Waiting | undefined {
    const storing = this.costly.findIndex(({ job }) => !job.dryRun);
    return this.costly.splice(Math.max(storing, 0), 1)[0];
  }

  private async carryOut(batch: readonly Waiting[]): Promise<void> {
    if (batch.length === 0) return;
    this.askToGiveWay();
    try {
      const outcomes = await this.commit(batch.map(({ job }) => job));
      this.commits++;
      this.quick.unshift(...batch.slice(outcomes.length));
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome.kind === 'gave-way') this.beginAnew(batch[index]!, outcome);
        else this.tell(batch[index]!, outcome);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.isTrying = false;
      clearTimeout(this.asking);
      this.asking = undefined;
    }
  }

  private tell(waiting: Waiting, outcome: Exclude<Outcome, GaveWayOutcome>): void {
    this.writes++;
    try {
      waiting.resolve(settle(outcome));
    } catch (error) {
      waiting.reject(error);
    }
  }

  /** Before the other dry runs: it was its turn. */
  private beginAnew(waiting: Waiting, { leftMs }: GaveWayOutcome): void {
    waiting.job = { ...waiting.job, leftMs };
    this.queue(waiting, 0);
  }

  /** As soon as somebody has waited long enough who would store something, or is quick. */
  private askToGiveWay(): void {
    const { askToGiveWay, givesWayMs = DRY_RUN_GIVES_WAY_MS } = this.options;
    if (!this.isTrying || this.asking !== undefined || askToGiveWay === undefined) return;
    if (this.quick.length === 0 && this.costly.every(({ job }) => job.dryRun)) return;
    this.asking = setTimeout(askToGiveWay, givesWayMs);
  }
}

function tooManyWrites(): Refusal {
  return new Refusal('CAT503', 'too many costly writes are waiting', {
    details: 'Nothing was changed.',
    hint: 'Try again in a moment, or name the rows by their keys.',
    headers: { 'retry-after': '1' },
  });
}
