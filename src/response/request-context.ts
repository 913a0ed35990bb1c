/** The context of one request: each field is set by the one stage or middleware that its comment names. */

import type { RateState } from '../base/net/rate-limit.ts';
import type { Caller } from '../collection/access/caller.ts';
import type { Engine, MaybePromise } from '../engine/engine.ts';
import type { Answer } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import { clientNetwork, type TrustedProxies } from '../http/edge/proxies.ts';
import type { Access } from '../plan/access/permissions.ts';
import type { ReadPlan } from '../plan/types.ts';
import type { Origin, WritePlan } from '../plan/write-plan.ts';

type Stage = 'jwt' | 'parse' | 'plan' | 'transaction' | 'response';
type TimedStage = readonly [stage: Stage, start: number, end: number];
const NO_STAGES: readonly TimedStage[] = [];

/** The five stages as one function. It throws an error for a request that it rejects. */
export type Handler = (context: RequestContext) => MaybePromise<Answer>;
export type Responder = (context: RequestContext) => MaybePromise<Response>;

/** One step of the ordered list in `app.ts`: it answers, rejects, or calls the next step. */
export type Middleware = (next: Responder) => Responder;

/** The first middleware of the list sees a request first. */
export function compose(middleware: readonly Middleware[], respond: Responder): Responder {
  return middleware.reduceRight((next, step) => step(next), respond);
}

/** Calls `next` in the same turn of the event loop if `value` is not a promise. */
export function andThen<A, B>(value: MaybePromise<A>, next: (value: A) => MaybePromise<B>): MaybePromise<B> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Marks the connection as active while the service works, so that it is not closed as idle. */
export function trackWork<T>({ call: { peer } }: RequestContext, work: MaybePromise<T>): MaybePromise<T> {
  if (peer === undefined || !(work instanceof Promise)) return work;
  peer.atWork(true);
  const done = () => peer.atWork(false);
  work.then(done, done);
  return work;
}

/** A completed request, as the log and the metrics see it. */
export type CompletedRequest = Readonly<RequestContext>;

/** The response header that carries the id of the request. */
export const REQUEST_ID = 'x-request-id';

export class RequestContext {
  /** As performance.now() returns it. */
  readonly started = performance.now();
  /** Logging sets these when the response is complete; `error` is the one that rejected the request. */
  status = 0;
  milliseconds = 0;
  error: unknown = undefined;
  /** Edge checks: the network of a client that sends an Idempotency-Key, which a later disconnect would hide. */
  network: string | undefined = undefined;
  /** Edge checks: the proxies whose headers are believed. */
  proxies: TrustedProxies | undefined = undefined;
  /** Rate limit: the remaining requests of the client, if they are limited. */
  rateState: RateState | undefined = undefined;
  /** Authentication, for a catalogue with roles. The result is computed once per request and then shared. */
  authorization: (() => MaybePromise<Access>) | undefined = undefined;
  access: Access | undefined = undefined;
  /** Authentication, with roles of the database: the engine in the session of the caller. */
  engine: Engine | undefined = undefined;
  /** The authenticated caller; the login page sets it as well. */
  caller: Caller | undefined = undefined;
  /** Handler: the route of the request. The response cache sets it for a cached response. */
  route: string | undefined = undefined;
  /** Planner. */
  plan: ReadPlan | WritePlan | undefined = undefined;
  /** Response cache: the change count before the read; undefined without a cache. */
  changeCount: number | undefined = undefined;
  /** Response cache: the number of rows in the answer. */
  rows: number | undefined = undefined;
  /** The cookies that the database sets. */
  cookies: readonly string[] = [];
  /** The stages that have ended, with their times as performance.now() returns them; none unless they are timed. */
  stages: readonly TimedStage[] = NO_STAGES;
  private last = this.started;

  constructor(
    readonly call: Call,
    public id: string | undefined,
    private readonly timed: boolean,
    /** Called if a streamed body ends early: the status is already sent. */
    readonly onCut?: ((answer: CompletedRequest, error: unknown) => void) | undefined,
  ) {}

  /** Whether the response depends on the caller's credentials, so that shared caches must not store it. */
  get isPrivate(): boolean {
    return this.authorization !== undefined;
  }

  /** Whom a limit per caller counts for: the credentials, or else the network of the client's address. */
  get requester(): string {
    return this.caller?.identity ?? clientNetwork(this.call, this.proxies);
  }

  /** The origin of a write, for the log of changes. A token without a name has a subject. */
  get origin(): Origin {
    const { caller, id } = this;
    const actor = caller?.name ?? caller?.claims.sub;
    return {
      ...(typeof actor === 'string' ? { actor } : {}),
      ...(caller === undefined ? {} : { role: caller.role }),
      ...(id === undefined ? {} : { request: id }),
    };
  }

  setPlan(plan: ReadPlan | WritePlan): void {
    this.plan = plan;
    this.done('plan');
  }

  /** Records that a stage has ended, for Server-Timing and traces. */
  done(stage: Stage): void {
    if (!this.timed) return;
    const now = performance.now();
    this.stages = [...this.stages, [stage, this.last, now]];
    this.last = now;
  }

  setStatus(status: number): void {
    this.status = status;
    this.milliseconds = performance.now() - this.started;
  }

  /** The durations of the stages as a Server-Timing header (https://www.w3.org/TR/server-timing/). */
  header(): string {
    const stages = this.stages.map(([stage, start, end]) => `${stage};dur=${(end - start).toFixed(3)}, `).join('');
    return `${stages}total;dur=${(performance.now() - this.started).toFixed(3)}`;
  }
}
