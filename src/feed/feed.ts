/**
 * The live feed of a list (Accept: text/event-stream): its rows, then every change of them. Last-Event-ID resumes after
 * a position of the log of changes. The log is the only source, so a client misses nothing and sees nothing twice.
 */
import { ApiError } from '../base/errors.ts';
import { HEARTBEAT_MS, MAX_RESUMED_CHANGES, RECONNECT_MS, RECONNECT_SPREAD_MS, STEP_MS } from '../base/limits/feed.ts';
import type { Catalogue } from '../collection/declaration.ts';
import type { ChangeLog, Engine, LogPosition, Metric } from '../engine/engine.ts';
import { notLogged } from '../engine/shared/change-log.ts';
import type { Answer } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import { CORS_HEADERS } from '../http/edge/cors.ts';
import { EVENT_STREAM } from '../http/negotiate.ts';
import type { RequestContext } from '../response/request-context.ts';
import { type Changes, changesAfter } from './changed-keys.ts';
import { CredentialChecks, type ScopeCheck } from './credential-checks.ts';
import { isInLog, isSame, parseEventId, positionOf } from './event-id.ts';
import { type FeedPlan, planFeed } from './feed-plan.ts';
import { Hub } from './hub.ts';
import { QueuedReads } from './queued-reads.ts';
import { eventText, type FeedEvent, NO_DATA, rowsAt, stepEvents } from './step.ts';
import { Subscriber } from './subscriber.ts';

export interface FeedOptions {
  readonly engine: Engine;
  readonly catalogue: Catalogue;
  readonly maxFeeds: number;
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
  private readonly open = new Set<Subscriber>();
  private readonly heartbeat: ReturnType<typeof setInterval>;
  private readonly reads: QueuedReads;
  private isStopping = false;

  constructor(private readonly options: FeedOptions) {
    const { engine, catalogue } = options;
    this.hub = engine.log && new Hub(engine, engine.log, [...catalogue.collections.values()]);
    this.reads = new QueuedReads(engine);
    this.heartbeat = setInterval(() => this.hub?.beat(), HEARTBEAT_MS);
    this.heartbeat.unref();
  }

  readonly answer = async (call: Call, context: RequestContext, check?: ScopeCheck): Promise<Answer> => {
    const { hub, options } = this;
    const { log } = options.engine;
    const plan = planFeed(call, context.access?.permissions);
    context.setPlan(plan.list);
    const asked = parseEventId(call.request.headers.get('last-event-id'));
    if (log === undefined || hub === undefined) throw notLogged();
    const oldest = await log.oldest(plan.collections);
    if (oldest === undefined) throw notLogged(call.collection);
    const newest = await log.position();
    if (call.method === 'HEAD') return { status: 200, headers: HEADERS, body: null };
    if (this.isStopping || this.open.size >= options.maxFeeds) throw this.noRoom();
    const missed = asked === undefined ? 0 : newest.seq - asked.seq;
    const isKept = asked !== undefined && asked.seq >= oldest.seq && missed >= 0 && missed < MAX_RESUMED_CHANGES;
    const found = isKept ? await positionOf(log, asked) : undefined;
    const name = `${plan.isLive}\n${context.access?.scope}\n${call.collection.name}\n${call.query}`;
    const subscriber = new Subscriber(() => {
      this.open.delete(subscriber);
      this.checks.delete(subscriber);
      hub.leave(subscriber, name);
      context.peer?.atWork(false);
    });
    this.open.add(subscriber);
    context.peer?.atWork(true);
    if (check !== undefined) this.checks.add(subscriber, call.request.headers, context.access?.scope, check);
    const resumed = found?.seq === newest.seq || (plan.isLive && found === undefined) ? newest : found;
    const begin = { resumed, isReset: asked !== undefined && resumed === undefined, newest };
    this.follow(subscriber, log, hub, plan, name, begin).catch((error) => {
      context.onCut?.(context, error);
      subscriber.cut();
    });
    return { status: 200, headers: HEADERS, body: subscriber.body, isLive: true };
  };

  /** Ends all feeds. Clients reconnect at different times. */
  stop(): void {
    this.isStopping = true;
    clearInterval(this.heartbeat);
    this.checks.stop();
    for (const subscriber of [...this.open]) {
      subscriber.end(`retry: ${RECONNECT_MS + Math.floor(Math.random() * RECONNECT_SPREAD_MS)}\n\n`);
    }
  }

  metrics(): readonly Metric[] {
    const events = this.hub?.events ?? 0;
    return [
      { name: 'feed_subscribers', kind: 'gauge', help: 'Clients that follow a list.', value: this.open.size },
      { name: 'feed_events_total', kind: 'counter', help: 'Changes sent to them.', value: events },
    ];
  }

  /** Sends the list or the missed changes, until the client can join its group. */
  private async follow(
    subscriber: Subscriber,
    log: ChangeLog,
    hub: Hub,
    plan: FeedPlan,
    name: string,
    begin: Begin,
  ): Promise<void> {
    const { reads } = this;
    const collections = [...this.options.catalogue.collections.values()];
    let position = begin.resumed ?? begin.newest;
    await subscriber.write(`retry: ${RECONNECT_MS}\n\n`);
    if (begin.isReset) await subscriber.write(eventText([{ name: 'reset', data: NO_DATA }]));
    if (begin.resumed === undefined) {
      for await (const text of rowsAt(reads, plan, position.seq)) if (!(await subscriber.write(text))) return;
      await subscriber.write(eventText([{ name: 'ready', data: NO_DATA }], position));
    }
    while (!subscriber.isClosed) {
      const upTo = hub.position.seq > begin.newest.seq ? hub.position : begin.newest;
      if (position.seq < upTo.seq) {
        if (!(await isInLog(log, position))) return subscriber.end();
        const changes = await changesAfter(reads, collections, position.seq, upTo);
        position = await this.catchUp(subscriber, plan, position, changes);
      } else if (hub.join(subscriber, name, plan, position)) return;
      // The hub is behind. A step that runs already may end before this position.
      else if ((await hub.advance()).seq < position.seq) await Bun.sleep(STEP_MS);
      // The log went back: the client resumes, and its id is unknown.
      else if (hub.position.seq === position.seq && !isSame(hub.position, position)) subscriber.end();
    }
  }

  private async catchUp(
    subscriber: Subscriber,
    plan: FeedPlan,
    from: LogPosition,
    changes: Changes,
  ): Promise<LogPosition> {
    let held: readonly FeedEvent[] = [];
    for await (const events of stepEvents(this.reads, plan, from.seq, changes)) {
      if (events.length === 0) continue;
      await subscriber.write(eventText(held));
      held = events;
    }
    await subscriber.write(eventText(held, changes.upTo));
    return changes.upTo;
  }

  private noRoom(): ApiError {
    const { maxFeeds } = this.options;
    const message = this.isStopping ? 'the service stops' : `${maxFeeds} feeds are open already`;
    return new ApiError('CAT503', message, {
      hint: this.isStopping ? 'Try again.' : 'Try again, or raise --max-feeds.',
      headers: { 'retry-after': '2' },
    });
  }
}

interface Begin {
  /** The position to resume at; undefined for the whole list. */
  readonly resumed: LogPosition | undefined;
  readonly isReset: boolean;
  readonly newest: LogPosition;
}
