/** What is noted of a request on its way through the stages, and told once it is answered. */
import type { Caller } from '../collection/caller.ts';
import type { MaybePromise } from '../engine/engine.ts';
import type { Answer } from '../http/answer.ts';
import type { Peer } from '../http/peer.ts';
import type { Place } from '../http/prefix.ts';
import type { Allowance } from '../http/rate-limit.ts';
import type { Admitted } from '../plan/sight.ts';
import type { ReadPlan, WritePlan } from '../plan/types.ts';

export type Stage = 'parse' | 'plan' | 'engine' | 'response';

/** The stages of a request, as one function. It throws what is refused. */
export type Answerer = (request: Request, trace: Trace) => MaybePromise<Answer>;
export type Responder = (request: Request, trace: Trace) => MaybePromise<Response>;

/** Without a turn of the event loop where there is nothing to wait for. */
export function andThen<A, B>(value: MaybePromise<A>, next: (value: A) => MaybePromise<B>): MaybePromise<B> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Whatever takes its time for a request, other than the client itself. */
export function working<T>({ peer }: Pick<Trace, 'peer'>, work: MaybePromise<T>): MaybePromise<T> {
  if (peer === undefined || !(work instanceof Promise)) return work;
  peer.atWork(true);
  const done = () => peer.atWork(false);
  work.then(done, done);
  return work;
}

/** A request that was answered. */
export interface Answered {
  /** The request's id, if it has one. */
  readonly id: string | undefined;
  readonly method: string;
  readonly url: string;
  readonly place: Place;
  /** `/products` or `/products/:id`; undefined where it was addressed to no collection, or that was not found out. */
  readonly route: string | undefined;
  readonly status: number;
  /** As performance.now() tells it. */
  readonly started: number;
  readonly milliseconds: number;
  /** Rows read or written; undefined where none were. */
  readonly rows: number | undefined;
  /** What was refused, and why; or what went wrong. */
  readonly error: unknown;
  /** Undefined where none was needed or none was made. */
  readonly plan: ReadPlan | WritePlan | undefined;
  /** Who asked, where that matters: where the catalogue has roles. */
  readonly caller?: Caller | undefined;
}

/** Until it is found out. */
const UNKNOWN: Place = { prefix: '', path: '' };

/** Names the request to which an answer belongs. */
export const REQUEST_ID = 'x-request-id';

export class Trace implements Answered {
  readonly started = performance.now();
  place: Place = UNKNOWN;
  route: string | undefined = undefined;
  status = 0;
  milliseconds = 0;
  rows: number | undefined = undefined;
  error: unknown = undefined;
  plan: ReadPlan | WritePlan | undefined = undefined;
  caller: Caller | undefined = undefined;
  /** What the caller may see and do, where the catalogue has roles. */
  admitted: Admitted | undefined = undefined;
  /** Whether the answer is for this caller alone. */
  isPrivate = false;
  /** Whether its answer has its name already. */
  isNamed = false;
  /** Who asks, once that was asked for. */
  admission: (() => MaybePromise<Admitted>) | undefined = undefined;
  /** What the client has left, where its requests are counted. */
  allowance: Allowance | undefined = undefined;
  /** Told where the body cannot be sent to its end. */
  onCut: ((answer: Answered, error: unknown) => void) | undefined = undefined;
  private stages = '';
  private last = this.started;

  constructor(
    readonly method: string,
    readonly url: string,
    public id: string | undefined,
    private readonly timed: boolean,
    /** Undefined where it is asked within the process. */
    readonly peer?: Peer | undefined,
  ) {}

  planned(plan: ReadPlan | WritePlan): void {
    this.plan = plan;
    this.done('plan');
  }

  /** The stage that ends here. */
  done(stage: Stage): void {
    if (!this.timed) return;
    const now = performance.now();
    this.stages += `${stage};dur=${(now - this.last).toFixed(3)}, `;
    this.last = now;
  }

  answered(status: number): void {
    this.status = status;
    this.milliseconds = performance.now() - this.started;
  }

  /** How long each stage took, as Server-Timing has it (https://www.w3.org/TR/server-timing/). */
  header(): string {
    return `${this.stages}total;dur=${(performance.now() - this.started).toFixed(3)}`;
  }
}
