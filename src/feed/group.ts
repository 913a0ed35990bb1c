/**
 * A group of clients of the same list with the same permissions. It advances by steps: each is evaluated and encoded
 * once for all its clients. Groups have positions of their own, so a slow one delays no other.
 */
import { ApiError } from '../base/errors.ts';
import {
  MAX_STEP_BYTES,
  MAX_STEP_PAUSE_MS,
  MAX_UNSENT_BYTES,
  SLOW_STEP_MS,
  STEP_BUDGET_MS,
  STEP_CHANGES,
  STEP_PAUSE_MS_PER_CLIENT,
} from '../base/limits/feed.ts';
import type { LogPosition } from '../engine/engine.ts';
import type { Reader } from '../engine/row-store.ts';
import { filterSteps } from '../engine/shared/cost.ts';
import { readsOtherCollections } from '../engine/shared/plan-keys.ts';
import type { Changes } from './changed-keys.ts';
import { type FeedPosition, isSame } from './event-id.ts';
import type { Chunk, FeedEvent } from './feed-event.ts';
import { nextMoment } from './next-moment.ts';
import { type FeedPlan, stepChunk, stepEvents } from './step.ts';
import type { Subscriber } from './subscriber.ts';

const LONG_CHUNK_BYTES = MAX_UNSENT_BYTES / 4;

/** The events of a step. If they are too long, or take too long, the step covers fewer changes. */
type StepResult = { readonly events: number; readonly chunk: Chunk } | 'too long';

export class Group {
  readonly members = new Set<Subscriber>();
  /** Whether a step reads only a few rows by key. Such a group needs no turn. */
  readonly isCheap: boolean;
  /** Whether the last step took long. A cheap group is never slow: only a busy machine delays it. */
  isSlow: boolean;
  /** Whether a step is waiting for its turn or under way. */
  isBusy = false;
  /** The changes that a step covers at most. */
  limit = STEP_CHANGES;
  /** When rows may enter or leave without a change, in milliseconds. The first step finds it. */
  next: number;
  private restsUntil = 0;

  constructor(
    readonly plan: FeedPlan,
    /** The caller of the first client, for turns. */
    readonly caller: string,
    /** All members have received the changes up to this position. */
    public position: FeedPosition,
  ) {
    const { list, matching } = plan;
    const plans = matching === undefined ? [list] : [list, matching];
    this.next = plan.isTimed ? 0 : Number.POSITIVE_INFINITY;
    this.isCheap =
      list.log === undefined &&
      !plan.isTimed &&
      plans.every((each) => filterSteps(each) === 0 && !readsOtherCollections(each));
    // Until a step has shown how long it takes.
    this.isSlow = !this.isCheap;
  }

  isDue(newest: LogPosition, now: number): boolean {
    return (!isSame(this.position, newest) || this.isTimeUp) && now >= this.restsUntil;
  }

  get isTimeUp(): boolean {
    return Date.now() >= this.next;
  }

  /** Whether a client at this position has received the same events as the members. */
  isAt(position: FeedPosition): boolean {
    const { now = 0 } = position;
    return isSame(position, this.position) && now >= (this.position.now ?? 0) && now < this.next;
  }

  /** Sends the events of these changes, which begin at the position of the group. Returns their number. */
  async advance(reader: Reader, changes: Changes): Promise<number> {
    const started = performance.now();
    const now = this.plan.isTimed ? Date.now() : undefined;
    const result = await this.evaluate(reader, changes, now);
    const took = performance.now() - started;
    this.isSlow = !this.isCheap && took > SLOW_STEP_MS;
    this.rest(took - STEP_BUDGET_MS);
    if (result === 'too long' && changes.count > 1) {
      this.limit = Math.ceil(changes.count / 4);
      return 0;
    }
    // Without an event the time stays, since it would show when the time of a hidden row came.
    const isSent = typeof result === 'object';
    this.position = { ...changes.upTo, now: isSent ? now : this.position.now };
    if (now !== undefined) this.next = await nextMoment(reader, this.plan, now).catch(() => 0);
    // The next step will be about as long for each change. A step in which only time passes shows nothing about it.
    if (changes.count > 0) {
      const length = isSent ? result.chunk.length : 1;
      const fitting = Math.floor((changes.count * MAX_STEP_BYTES) / 2 / length);
      this.limit = Math.max(1, Math.min(STEP_CHANGES, this.limit * 2, fitting));
    }
    if (result === undefined) return 0;
    // Its clients resume with requests of their own.
    if (result === 'too long') return this.end();
    for (const member of [...this.members]) member.publish(result.chunk);
    // Clients need time to receive a long one. Each client costs a packet.
    const pause =
      result.chunk.length > LONG_CHUNK_BYTES ? MAX_STEP_PAUSE_MS : this.members.size * STEP_PAUSE_MS_PER_CLIENT;
    this.rest(Math.min(MAX_STEP_PAUSE_MS, pause));
    return result.events * this.members.size;
  }

  end(): 0 {
    for (const member of [...this.members]) member.end();
    return 0;
  }

  private rest(milliseconds: number): void {
    this.restsUntil = Math.max(this.restsUntil, performance.now() + milliseconds);
  }

  private async evaluate(reader: Reader, changes: Changes, now?: number): Promise<StepResult | undefined> {
    const events: FeedEvent[] = [];
    let length = 0;
    try {
      for await (const some of stepEvents(reader, this.plan, this.position, changes, now)) {
        if (some === 'too long') return some;
        events.push(...some);
        for (const { data } of some) length += data.length;
        if (length > MAX_STEP_BYTES) return 'too long';
      }
    } catch (error) {
      if (error instanceof ApiError && error.code === '57014') return 'too long';
      this.end();
      return undefined;
    }
    if (events.length === 0) return undefined;
    return { events: events.length, chunk: stepChunk(this.plan, events, { ...changes.upTo, now }) };
  }
}
