/**
 * Sends the changes of one webhook: in order for each row, at least once. A failing delivery is set aside and repeated;
 * later changes of its row wait for it, other rows do not. While the receiver is down, the log holds the rest.
 */
import { WEBHOOK_CHANGES, WEBHOOK_MESSAGES, WEBHOOK_RETRY_HOURS, WEBHOOK_WAITING } from '../../base/limits/engine.ts';
import { type Sentence, say } from '../../base/sentence.ts';
import type { ChangeLog, LogPosition } from '../../engine/engine.ts';
import { isInLog, isSame } from '../../feed/event-id.ts';
import { deliver, type Receiver } from './deliver.ts';
import type { Delivery, Progress, SentChange, WebhookChanges, WebhookStore } from './store.ts';

const LOOK_MS = 2_000;
const HOUR_MS = 3_600_000;
const FIRST_DELAY_MS = 1_000;
/** After this many failures in a row, the receiver counts as down: one message at a time tests it. */
const DOWN_AFTER = 5;

/** Counts since the start of the process. */
interface SenderCounts {
  delivered: number;
  failed: number;
  waiting: number;
}

interface SenderContext {
  readonly receiver: Receiver;
  readonly changes: WebhookChanges;
  readonly log: ChangeLog;
  readonly store: WebhookStore;
  readonly stopped: AbortSignal;
  /** Whether this process still has the lease. */
  readonly maySend: () => boolean;
  readonly onFailure: (seq: number, reason: Sentence) => void;
}

/** A message to send: a new change, or a delivery that is repeated. */
interface Item {
  readonly seq: number;
  readonly row: string;
  readonly change: SentChange | undefined;
  readonly delivery: Delivery | undefined;
}

export class WebhookSender {
  readonly counts: SenderCounts = { delivered: 0, failed: 0, waiting: 0 };
  private progress: Progress | undefined;
  /** The end of the log at the last round. */
  private seen: LogPosition | undefined;
  private failures = 0;
  private nextLook = 0;

  constructor(
    readonly name: string,
    private readonly context: SenderContext,
  ) {}

  /** One round, up to a position of the log. Returns whether there may be more to send. */
  async round(newest: LogPosition): Promise<boolean> {
    const { changes, store, maySend } = this.context;
    const { seq: upTo } = newest;
    this.progress ??= (await store.begin([this.name], () => upTo))[0]!;
    await this.followBack(newest);
    const progress = this.progress!;
    const isDown = this.isDown();
    const limit = isDown ? 1 : WEBHOOK_CHANGES;
    const waiting = await this.waiting();
    const due = dueIn(waiting).slice(0, limit);
    const isOpen = waiting.length < WEBHOOK_WAITING && progress.seq < upTo;
    const news = isOpen ? await changes.after(progress.seq, upTo, limit) : [];
    const dueSeqs = due.map(({ seq }) => seq);
    const repeated = new Map((await changes.at(dueSeqs, upTo)).map((each) => [each.seq, each]));
    const items: readonly Item[] = [
      ...due.map((delivery) => ({
        seq: delivery.seq,
        row: rowOf(delivery),
        change: repeated.get(delivery.seq),
        delivery,
      })),
      ...news.map((change) => ({ seq: change.seq, row: rowOf(change), change, delivery: undefined })),
    ];
    const seq = isOpen ? (news.length === limit ? news.at(-1)!.seq : upTo) : progress.seq;
    if (items.length === 0 && seq === progress.seq) return false;
    const blocked = new Set(waiting.filter((each) => !due.includes(each)).map(rowOf));
    const { failing, done, delivered } = await this.sendAll(items, blocked);
    if (!maySend()) return false;
    const now = new Date().toISOString();
    const next = {
      name: this.name,
      seq,
      delivered: progress.delivered + delivered,
      delivered_at: delivered > 0 ? now : progress.delivered_at,
    };
    // A position that moves over nothing to send is only stored from time to time: each write costs a commit.
    if (items.length > 0 || seq - progress.seq >= WEBHOOK_WAITING) await store.save(next, failing, done);
    this.progress = next;
    const known = new Set([...waiting.map((each) => each.seq), ...failing.map((each) => each.seq)]);
    this.counts.waiting = known.size - done.length - failing.filter(({ status }) => status === 'failed').length;
    return !isDown && news.length === limit;
  }

  /**
   * If the log went back, so does the progress: a round may have stored the position of an entry that a failover lost,
   * and the number is of a later change now. Changes since its time are sent.
   */
  private async followBack(newest: LogPosition): Promise<void> {
    const { seen, progress, context } = this;
    if (seen !== undefined && !isSame(seen, newest) && !(await isInLog(context.log, seen))) {
      const kept = await context.log.positionAt(seen.at);
      this.progress = { ...progress!, seq: Math.min(progress!.seq, kept) };
      await context.store.save(this.progress, [], []);
    }
    this.seen = newest.at === '' ? undefined : newest;
  }

  /** Another process sends now. */
  reset(): void {
    this.progress = undefined;
    this.seen = undefined;
    this.nextLook = 0;
    this.counts.waiting = 0;
  }

  /** Sends a message that is not a change. Resolves to the reason why it was not accepted. */
  test(): Promise<Sentence | undefined> {
    const body = JSON.stringify({ at: new Date().toISOString(), kind: 'test' });
    const message = { id: `${this.name}-test-${crypto.randomUUID()}`, body, traceParent: undefined };
    return deliver(this.context.receiver, message, this.context.stopped);
  }

  private isDown(): boolean {
    return this.failures >= DOWN_AFTER;
  }

  /** If none waits, it looks only from time to time: a command may redeliver. */
  private async waiting(): Promise<readonly Delivery[]> {
    if (this.counts.waiting === 0 && performance.now() < this.nextLook) return [];
    this.nextLook = performance.now() + LOOK_MS;
    const name = encodeURIComponent(this.name);
    const filter = `webhook=eq.${name}&status=eq.waiting&order=seq&limit=${2 * WEBHOOK_WAITING}`;
    const waiting = await this.context.store.deliveries(filter);
    this.counts.waiting = waiting.length;
    return waiting;
  }

  /** Messages of different rows are sent side by side. */
  private async sendAll(items: readonly Item[], blocked: ReadonlySet<string>) {
    const rows = [...Map.groupBy(items, ({ row }) => row)];
    const failing: Delivery[] = [];
    const done: number[] = [];
    let delivered = 0;
    let attempts = 0;
    const work = async () => {
      for (let next = rows.shift(); next !== undefined; next = rows.shift()) {
        const [row, messages] = next;
        let isBlocked = false;
        for (const item of messages) {
          // A repeated delivery is the first of its row; a new change may have to wait for others.
          isBlocked ||= (item.delivery === undefined && blocked.has(row)) || (this.isDown() && attempts > 0);
          if (isBlocked) {
            failing.push(this.later(item, undefined));
            continue;
          }
          attempts++;
          const reason = await this.send(item);
          if (!this.context.maySend()) return;
          if (reason === undefined) {
            delivered++;
            if (item.delivery !== undefined) done.push(item.seq);
          } else {
            const failed = this.later(item, reason);
            failing.push(failed);
            isBlocked = failed.status === 'waiting';
          }
        }
      }
    };
    await Promise.all(Array.from({ length: WEBHOOK_MESSAGES }, work));
    return { failing, done, delivered };
  }

  private async send({ seq, change }: Item): Promise<Sentence | undefined> {
    if (change === undefined) return say`the change is no longer in the log`;
    const { receiver, stopped, onFailure } = this.context;
    const { at, body, traceParent } = change;
    // After a restore, the number may be of another change.
    const id = `${this.name}-${seq}-${Date.parse(at)}`;
    const reason = await deliver(receiver, { id, body, traceParent }, stopped);
    if (stopped.aborted) return reason;
    if (reason === undefined) {
      this.failures = 0;
      this.counts.delivered++;
    } else {
      this.failures++;
      this.counts.failed++;
      onFailure(seq, reason);
    }
    return reason;
  }

  /** Without a reason, it has not been tried. */
  private later({ seq, change, delivery }: Item, reason: Sentence | undefined): Delivery {
    const now = Date.now();
    const attempts = (delivery?.attempts ?? 0) + (reason === undefined ? 0 : 1);
    const first = delivery?.first_at ?? new Date(now).toISOString();
    const isOver = change === undefined || now - Date.parse(first) > WEBHOOK_RETRY_HOURS * HOUR_MS;
    const delay = Math.min(HOUR_MS, FIRST_DELAY_MS * 2 ** Math.min(attempts, 20)) * (0.75 + Math.random() / 2);
    return {
      webhook: this.name,
      seq,
      collection: (change ?? delivery!).collection,
      key: (change ?? delivery!).key,
      status: isOver && reason !== undefined ? 'failed' : 'waiting',
      attempts,
      first_at: first,
      next_at: reason === undefined || isOver ? null : new Date(now + delay).toISOString(),
      reason: reason ?? delivery?.reason ?? null,
    };
  }
}

function rowOf({ collection, key }: Pick<Delivery, 'collection' | 'key'>): string {
  return JSON.stringify([collection, key]);
}

/** The first waiting delivery of each row, if its time has come. `waiting` is in order. */
function dueIn(waiting: readonly Delivery[]): readonly Delivery[] {
  const now = new Date().toISOString();
  const first = new Map(waiting.toReversed().map((each) => [rowOf(each), each]));
  return waiting.filter((each) => {
    const isDue = each.next_at === null || Date.parse(each.next_at) <= Date.parse(now);
    return isDue && first.get(rowOf(each)) === each;
  });
}
