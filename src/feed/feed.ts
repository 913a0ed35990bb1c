/**
 * The live feed of a list (Accept: text/event-stream): its rows, then every change of them. Last-Event-ID resumes after
 * a position of the log of changes. The log is the only source, so a client misses nothing and sees nothing twice.
 */
import { FairQueue } from '../base/fair-queue.ts';
import {
  CLOCK_DIFFERENCE_MS,
  HEARTBEAT_MS,
  PARALLEL_JOINS,
  PARALLEL_JOINS_PER_CALLER,
  RECONNECT_MS,
  RECONNECT_SPREAD_MS,
  STEP_MS,
} from '../base/limits/feed.ts';
import type { Metric } from '../base/metric.ts';
import type { Catalogue, Collection } from '../collection/declaration.ts';
import type { ChangeLog, Engine, LogPosition } from '../engine/engine.ts';
import { queuedLog, queuedReader, type Reader } from '../engine/row-store.ts';
import { notLogged } from '../engine/shared/change-log.ts';
import type { Answer } from '../http/answer.ts';
import { CORS_HEADERS } from '../http/edge/origins.ts';
import { EVENT_STREAM } from '../http/negotiate.ts';
import type { RequestContext } from '../response/request-context.ts';
import { type Changes, changesAfter, isFarBehind, noChanges } from './changed-keys.ts';
import { CredentialChecks, type ScopeCheck } from './credential-checks.ts';
import { type EventId, type FeedPosition, isInLog, isSame, parseEventId, positionOf } from './event-id.ts';
import { LiveCall, type LiveSteps } from './feed-event.ts';
import { Hub } from './hub.ts';
import { feedMetrics } from './metrics.ts';
import { type FeedLimits, OpenFeeds } from './open-feeds.ts';
import { eventText, type FeedPlan, heartbeat, NO_DATA, planFeed, rowsAt, stepChunk, stepEvents } from './step.ts';
import { Subscriber } from './subscriber.ts';

export interface FeedOptions extends FeedLimits {
  readonly engine: Engine;
  readonly catalogue: Catalogue;
}

const HEADERS = {
  ...CORS_HEADERS,
  'content-type': EVENT_STREAM,
  'cache-control': 'no-cache',
  vary: 'Accept',
  // nginx would collect events before it sends them.
  'x-accel-buffering': 'no',
};

export class Feed {
  private readonly hub: Hub | undefined;
  private readonly checks = new CredentialChecks();
  private readonly open: OpenFeeds;
  private readonly collections: readonly Collection[];
  private readonly heartbeat: ReturnType<typeof setInterval>;
  /** Clients that still receive the list or missed changes. The hub does not know them yet. */
  private readonly joining = new Set<Subscriber>();
  /** The reads of clients that join, and the parts of the changes that they missed. */
  private readonly joins = new FairQueue({ places: PARALLEL_JOINS, placesPerCaller: PARALLEL_JOINS_PER_CALLER });
  private readonly parts = new FairQueue({ places: PARALLEL_JOINS, placesPerCaller: PARALLEL_JOINS_PER_CALLER });

  constructor(private readonly options: FeedOptions) {
    const { engine, catalogue } = options;
    this.open = new OpenFeeds(options, catalogue.roles !== undefined);
    this.collections = [...catalogue.collections.values()];
    this.hub = engine.log && new Hub(engine, engine.log, this.collections);
    this.heartbeat = setInterval(() => {
      this.hub?.beat();
      for (const subscriber of this.joining) void subscriber.write(':\n\n');
    }, HEARTBEAT_MS);
    this.heartbeat.unref();
  }

  readonly answer = async (collection: Collection, context: RequestContext, check?: ScopeCheck): Promise<Answer> => {
    const { call } = context;
    const { hub, options } = this;
    const { engine } = options;
    const plan = planFeed(call, collection, context.access?.permissions);
    context.setPlan(plan.list);
    const asked = parseEventId(call.lastEventId);
    if (engine.log === undefined || hub === undefined) throw notLogged(collection);
    const follower = { name: context.requester, isAnonymous: context.caller?.identity === undefined };
    const log = queuedLog(engine.log, this.joins, follower.name);
    const reader = queuedReader(engine, this.joins, follower.name);
    const oldest = await log.oldest(plan.collections);
    if (oldest === undefined) throw notLogged(collection);
    const newest: FeedPosition = { ...(await log.position()), now: plan.isTimed ? Date.now() : undefined };
    if (call.method === 'HEAD') return { status: 200, headers: HEADERS, body: null };
    const isKept =
      asked !== undefined &&
      asked.seq >= oldest.seq &&
      asked.seq <= newest.seq &&
      !(await isFarBehind(reader, this.collections, asked.seq, newest));
    const position = isKept ? await positionOf(log, asked) : undefined;
    const found = position && (await this.resumedAt(reader, position, asked!, newest));
    // Nothing is awaited between the check and `add`, so that the limits hold for requests at the same time.
    this.open.check(follower);
    const name = `${plan.isLive}\n${context.access?.scope}\n${collection.name}\n${call.languages?.shown}\n${call.query}`;
    const subscriber = new Subscriber(plan.isLive, this.open.feedsOf(follower), () => {
      this.open.delete(subscriber);
      this.checks.delete(subscriber);
      hub.leave(subscriber, name);
      if (subscriber.isCut) call.peer?.drop();
      else call.peer?.atWork(false);
    });
    this.open.add(subscriber, follower);
    call.peer?.atWork(true);
    if (check !== undefined) this.checks.add(subscriber, call, context.access?.scope, check);
    const isNewest = found?.seq === newest.seq || (plan.isLive && found === undefined);
    const resumed = isNewest ? { ...newest, now: (found ?? newest).now } : found;
    const isReset = asked !== undefined && resumed === undefined;
    const begin = { name, caller: follower.name, reader, resumed, isReset, newest };
    this.joining.add(subscriber);
    this.follow(subscriber, log, hub, plan, begin)
      .catch((error) => {
        context.onCut?.(context, error);
        subscriber.cut();
      })
      .finally(() => this.joining.delete(subscriber));
    if (call instanceof LiveCall) call.steps = subscriber as LiveSteps;
    const body = plan.isLive ? null : subscriber.body();
    return { status: 200, headers: HEADERS, body, isLive: true };
  };

  /** Ends all feeds. Clients reconnect at different times. */
  stop(): void {
    clearInterval(this.heartbeat);
    this.checks.stop();
    for (const subscriber of this.open.stop()) {
      subscriber.end(`retry: ${RECONNECT_MS + Math.floor(Math.random() * RECONNECT_SPREAD_MS)}\n\n`);
    }
  }

  metrics(): readonly Metric[] {
    return feedMetrics(this.open.size, this.open.unsentBytes, this.hub?.events ?? 0);
  }

  /**
   * Where a client resumes. Without a time in its id, it has seen the rows at the time of the change. An id may have
   * been made up: at a time when the position was not the newest, there may be rows that nobody was to see.
   */
  private async resumedAt(
    reader: Reader,
    found: LogPosition,
    asked: EventId,
    newest: FeedPosition,
  ): Promise<FeedPosition> {
    if (newest.now === undefined) return found;
    const begin = Date.parse(found.at);
    const isLast = found.seq === newest.seq;
    const next = isLast ? newest : (await changesAfter(reader, this.collections, found.seq, newest, 1)).upTo;
    const end = isLast ? newest.now : Math.min(Date.parse(next.at) + CLOCK_DIFFERENCE_MS, newest.now);
    return { ...found, now: Math.min(Math.max(asked.now ?? begin, begin - CLOCK_DIFFERENCE_MS), end) };
  }

  /** Sends the list or the missed changes, until the client can join its group. */
  private async follow(subscriber: Subscriber, log: ChangeLog, hub: Hub, plan: FeedPlan, begin: Begin): Promise<void> {
    const { name, caller, reader } = begin;
    let position: FeedPosition = begin.resumed ?? begin.newest;
    await subscriber.write(`retry: ${RECONNECT_MS}\n\n`);
    if (begin.isReset) await subscriber.write(eventText([{ name: 'reset', data: NO_DATA }]));
    if (begin.resumed === undefined) {
      for await (const text of rowsAt(reader, plan, position)) if (!(await subscriber.write(text))) return;
      await subscriber.write(eventText([{ name: 'ready', data: NO_DATA }], position));
    }
    while (!subscriber.isClosed) {
      const others = hub.positionOf(name) ?? begin.newest;
      const upTo = others.seq > begin.newest.seq ? others : begin.newest;
      const now = later(others.now, begin.newest.now);
      if (position.seq < upTo.seq || (now ?? 0) > (position.now ?? 0)) {
        if (!(await isInLog(log, position))) return subscriber.end();
        const isBehind = position.seq < upTo.seq;
        const changes = isBehind
          ? await changesAfter(reader, this.collections, position.seq, upTo)
          : noChanges(position);
        position = await this.catchUp(begin, subscriber, plan, position, changes, now);
      } else if (hub.join(subscriber, name, plan, position, caller)) return;
      // The log went back: the client resumes, and its id is unknown.
      else if (others.seq === position.seq && !isSame(others, position)) subscriber.end();
      // The group is behind.
      else await Bun.sleep(STEP_MS);
    }
  }

  /** Few clients that resume have rows in memory at the same time. */
  private async catchUp(
    { reader, caller }: Begin,
    subscriber: Subscriber,
    plan: FeedPlan,
    from: FeedPosition,
    changes: Changes,
    now: number | undefined,
  ): Promise<FeedPosition> {
    const upTo = { ...changes.upTo, now };
    const events = stepEvents(reader, plan, from, changes, now);
    const next = () => this.parts.run(caller, 1, () => events.next(), true);
    try {
      for (let part = await next(); part.done !== true && !subscriber.isClosed; part = await next()) {
        if (part.value !== 'too long' && part.value.length > 0) await subscriber.write(stepChunk(plan, part.value));
      }
    } finally {
      await events.return(undefined);
    }
    // A client that is cut before it has caught up goes on from here, also if the list has no event so far.
    await subscriber.write(heartbeat(plan, upTo));
    return upTo;
  }
}

function later(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}

interface Begin {
  /** The name of the group, and the caller for turns. */
  readonly name: string;
  readonly caller: string;
  readonly reader: Reader;
  /** The position to resume at; undefined for the whole list. */
  readonly resumed: FeedPosition | undefined;
  readonly isReset: boolean;
  readonly newest: FeedPosition;
}
