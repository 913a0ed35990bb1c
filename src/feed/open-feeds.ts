/** The open feeds of a process, with limits: in total, of each caller, and of all callers without a name. */
import { ApiError } from '../base/errors.ts';
import { ANONYMOUS_SHARE, MAX_UNSENT_BYTES_IN_TOTAL } from '../base/limits/feed.ts';
import { CallerFeeds, UnsentBytes } from './caller-feeds.ts';
import type { Subscriber } from './subscriber.ts';

export interface FeedLimits {
  readonly maxFeeds: number;
  /** By default half of `maxFeeds`. */
  readonly maxFeedsPerCaller?: number;
  readonly maxUnsentBytes?: number;
}

/** Whom the feed counts for. */
interface Follower {
  readonly name: string;
  readonly isAnonymous: boolean;
}

export class OpenFeeds {
  private readonly open = new Map<Subscriber, Follower>();
  private readonly callers = new Map<string, CallerFeeds>();
  private readonly unsent = new UnsentBytes();
  private anonymous = 0;
  private isStopping = false;
  private readonly maxPerCaller: number;
  private readonly maxAnonymous: number;

  constructor(
    private readonly limits: FeedLimits,
    hasRoles: boolean,
  ) {
    const { maxFeeds, maxFeedsPerCaller: perCaller = 0 } = limits;
    this.maxPerCaller = perCaller === 0 ? Math.ceil(maxFeeds / 2) : perCaller;
    this.maxAnonymous = hasRoles ? Math.ceil(maxFeeds * ANONYMOUS_SHARE) : maxFeeds;
  }

  get size(): number {
    return this.open.size;
  }

  /** The bytes that wait for all connections. */
  get unsentBytes(): number {
    return this.unsent.size;
  }

  feedsOf({ name }: Follower): CallerFeeds {
    const feeds = this.callers.get(name) ?? new CallerFeeds(this.unsent, this.limitUnsent);
    this.callers.set(name, feeds);
    return feeds;
  }

  /** Rejects a further feed beyond the limits. */
  check({ name, isAnonymous }: Follower): void {
    const { maxFeeds } = this.limits;
    if (this.isStopping) throw noRoom('the service stops', 'Try again.');
    if (this.size >= maxFeeds || (isAnonymous && this.anonymous >= this.maxAnonymous)) {
      const count = this.size >= maxFeeds ? `${maxFeeds} feeds` : `${this.anonymous} feeds without credentials`;
      throw noRoom(`${count} are open already`, 'Try again, or raise --max-feeds.');
    }
    if ((this.callers.get(name)?.open.size ?? 0) >= this.maxPerCaller) {
      throw new ApiError('CAT429', `${this.maxPerCaller} feeds of this caller are open already`, {
        hint: 'Close one of them, or raise --max-feeds-per-caller.',
        headers: { 'retry-after': '2' },
      });
    }
  }

  add(subscriber: Subscriber, follower: Follower): void {
    this.open.set(subscriber, follower);
    this.feedsOf(follower).open.add(subscriber);
    if (follower.isAnonymous) this.anonymous++;
  }

  delete(subscriber: Subscriber): void {
    const follower = this.open.get(subscriber);
    if (follower === undefined) return;
    this.open.delete(subscriber);
    const { open } = this.feedsOf(follower);
    open.delete(subscriber);
    if (open.size === 0) this.callers.delete(follower.name);
    if (follower.isAnonymous) this.anonymous--;
  }

  /** Returns the open feeds. Rejects further ones. */
  stop(): readonly Subscriber[] {
    this.isStopping = true;
    return [...this.open.keys()];
  }

  /** Callers with few unsent bytes do not lose their feeds to those with many. */
  private readonly limitUnsent = (): void => {
    const { maxUnsentBytes = MAX_UNSENT_BYTES_IN_TOTAL } = this.limits;
    while (this.unsent.size > maxUnsentBytes) {
      const caller = largest(this.callers.values(), ({ unsent }) => unsent.size);
      largest(caller.open, ({ heldBytes }) => heldBytes).cut();
    }
  };
}

function largest<T>(all: Iterable<T>, sizeOf: (one: T) => number): T {
  return [...all].reduce((most, one) => (sizeOf(one) > sizeOf(most) ? one : most));
}

function noRoom(message: string, hint: string): ApiError {
  return new ApiError('CAT503', message, { hint, headers: { 'retry-after': '2' } });
}
