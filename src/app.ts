/**
 * The way of a request, whole: http → dialect → plan → engine → response. Every stage is one call, in order. What is kept
 * and what is observed are wrappers around it.
 */
import type { Catalogue, Collection } from './collection/declaration.ts';
import { deniedPlans } from './collection/denied.ts';
import { pageOf } from './dialect/page.ts';
import { parsePrefer } from './dialect/prefer.ts';
import { parseQuery } from './dialect/query.ts';
import type { Encoding } from './encode/encoding.ts';
import type { Engine, MaybePromise, Metric, WriteResult } from './engine/engine.ts';
import type { Answer } from './http/answer.ts';
import { Bodies } from './http/bodies.ts';
import { readDocument } from './http/body.ts';
import { type Call, pathAndQuery, readCall, routeOf } from './http/call.ts';
import { createsOnly, readIfMatch, readRetry } from './http/conditional.ts';
import { optionsAnswer } from './http/cors.ts';
import { negotiate, ofOne } from './http/negotiate.ts';
import type { Pages } from './http/pages.ts';
import type { Peer } from './http/peer.ts';
import { locate } from './http/prefix.ts';
import { atOnce, inTurns, type Pieces } from './in-pieces.ts';
import { planItem, planRead, planReadItem } from './plan/read.ts';
import type { ReadPlan, WritePlan } from './plan/types.ts';
import { weightOf } from './plan/weight.ts';
import { WHOLE } from './plan/whole.ts';
import { planWrite, type WriteMethod } from './plan/write.ts';
import { encodingOf, gathered } from './response/body.ts';
import { admitting, byRole, type Identify, ownRetry } from './response/callers.ts';
import { discreet } from './response/discreet.ts';
import { KeptAnswers, responder } from './response/kept-answers.ts';
import { withLimit } from './response/limited.ts';
import { type Observers, observed } from './response/observed.ts';
import { acceptsPlan, planAnswer } from './response/plan.ts';
import { itemAnswer, listAnswer } from './response/read.ts';
import { type Answerer, andThen, type Responder, type Trace, working } from './response/trace.ts';
import { writeAnswer } from './response/write.ts';

export interface AppOptions extends Observers {
  readonly catalogue: Catalogue;
  readonly engine: Engine;
  readonly maxBodyBytes: number;
  /** Of all bodies together, where it is not the usual limit. */
  readonly maxBodiesBytes?: number;
  readonly allowUnfilteredWrites: boolean;
  /** What a proxy puts before the paths of the service, such as /api. */
  readonly basePath?: string;
  /** What else is served beside the collection: descriptions, the console, health. Undefined where nothing is. */
  readonly pages?: Pages;
  /** Whether Accept: application/vnd.pgrst.plan+json is answered. */
  readonly plans?: boolean;
  /** Whose credentials a request carries; asked where the catalogue has roles. Absent: everybody is anonymous. */
  readonly identify?: Identify;
}

export interface App {
  fetch(request: Request, peer?: Peer): MaybePromise<Response>;
  /** What it keeps, for the metrics. */
  metrics?(): readonly Metric[];
}

export function createApp(options: AppOptions): App {
  const { catalogue, engine, pages, edges, basePath = '', maxBodyBytes, maxBodiesBytes } = options;
  const bodies = new Bodies(maxBodyBytes, maxBodiesBytes);
  const answer = stages(options, bodies);
  const kept = engine.changes === undefined ? undefined : new KeptAnswers(engine.changes);
  const admit = admitting(catalogue, options.identify);
  const read = byRole(kept?.around(answer) ?? responder(answer), admit);
  const pageOrRead: Responder = (request, trace) => {
    const { prefix, path } = trace.place;
    const seen = admit && (() => andThen(admit(request, trace), ({ sight }) => sight?.catalogue ?? catalogue));
    return pages?.(path.split('?', 1)[0]!, request, prefix, seen, trace) ?? read(request, trace);
  };
  const limited = edges?.limit === undefined ? pageOrRead : withLimit(pageOrRead, edges.limit, admit);
  const entered: Responder = (request, trace) => {
    edges?.enter(request, trace);
    trace.place = locate(pathAndQuery(trace.url), request, basePath, trace.peer, edges?.proxies);
    return limited(request, trace);
  };
  return { fetch: observed(entered, options), metrics: () => [...(kept?.metrics() ?? []), ...bodies.metrics()] };
}

function stages(options: AppOptions, bodies: Bodies): Answerer {
  const { catalogue, engine, allowUnfilteredWrites, plans = false } = options;

  function answer(request: Request, trace: Trace): MaybePromise<Answer> {
    const seen = trace.admitted?.sight?.catalogue ?? catalogue;
    const call = readCall(trace.method, trace.place, request, seen);
    trace.route = routeOf(call);
    if (call.method === 'OPTIONS') return optionsAnswer(call);
    if (call.method !== 'GET' && call.method !== 'HEAD') return write(call, call.method, trace);
    if (plans && acceptsPlan(request)) return explainRead(call, trace);
    return call.target.kind === 'item' ? readItem(call, call.target.key, trace) : readList(call, trace);
  }

  function readList(call: Call, trace: Trace): MaybePromise<Answer> {
    const { headers } = call.request;
    const media = negotiate(headers.get('accept'));
    const preferences = parsePrefer(headers.get('prefer'));
    const query = parseQuery(call.query);
    const page = pageOf(query, call.method === 'GET' ? headers.get('range') : null);
    trace.done('parse');
    const plan = planRead(call.collection, query, page, preferences.count, trace.admitted?.sight);
    trace.planned(plan);
    const encoding = encodingOf(media, plan.columns);
    return andThen(working(trace, engine.read(plan, encoding)), (result) => {
      trace.done('engine');
      return listAnswer({ call, media, query, preferences, plan, trace }, result);
    });
  }

  function readItem(call: Call, key: string, trace: Trace): MaybePromise<Answer> {
    const media = ofOne(negotiate(call.request.headers.get('accept')));
    const query = parseQuery(call.query);
    trace.done('parse');
    const plan = planItem(call.collection, key, query, trace.admitted?.sight);
    trace.planned(plan.asked);
    const isWhole = plan.shown.columns === plan.whole.columns && media.format === 'json' && !media.stripNulls;
    const read = (each: ReadPlan, as: Encoding) => andThen(working(trace, engine.read(each, as)), gathered);
    const readShown = () => read(plan.shown, encodingOf(media, plan.shown.columns));
    // The whole row first: a version may be older than the answer it goes with, but never newer. It has met the filters then.
    return andThen(read(plan.whole, WHOLE), (whole) =>
      andThen(isWhole || whole.returned === 0 ? whole : readShown(), (shown) => {
        trace.done('engine');
        return itemAnswer({ call, media, trace }, shown, whole);
      }),
    );
  }

  /** The plan of the same read, in place of its rows. It tells how many rows there are, which only some callers see. */
  async function explainRead(call: Call, trace: Trace): Promise<Answer> {
    if (trace.admitted?.sight !== undefined) throw deniedPlans();
    const { headers } = call.request;
    const query = parseQuery(call.query);
    const { count } = parsePrefer(headers.get('prefer'));
    const plan =
      call.target.kind === 'item'
        ? planReadItem(call.collection, call.target.key, query)
        : planRead(call.collection, query, pageOf(query, headers.get('range')), count);
    return planAnswer(call.request, await engine.explain?.(plan));
  }

  async function write(call: Call, method: WriteMethod, trace: Trace): Promise<Answer> {
    const { collection } = call;
    const { headers } = call.request;
    const media = negotiate(headers.get('accept'));
    const query = parseQuery(call.query);
    const preferences = parsePrefer(headers.get('prefer'));
    const ifMatch = readIfMatch(call);
    const body = method === 'DELETE' ? undefined : await bodies.receive(call.request);
    const understand = function* (): Pieces<WritePlan> {
      const document = body && (yield* readDocument(body.bytes, headers.get('content-type')));
      const retry = body && readRetry(call, body.bytes);
      const own = retry && ownRetry(retry, trace);
      trace.done('parse');
      const request = {
        query,
        preferences,
        singular: media.singular,
        allowUnfiltered: allowUnfilteredWrites,
        createOnly: createsOnly(call),
        ...(call.target.kind === 'item' ? { item: call.target.key } : {}),
        ...(ifMatch === undefined ? {} : { ifMatch }),
        ...(own === undefined ? {} : { retry: own }),
      };
      return yield* planWrite(collection, method, request, document, trace.admitted?.sight);
    };
    try {
      const plan = body?.isLong === true ? await working(trace, inTurns(understand())) : atOnce(understand());
      body?.count(weightOf(plan));
      trace.planned(plan);
      const encoding = encodingOf(media, plan.returning?.columns ?? []);
      const result = await working(trace, written(plan, encoding, collection));
      trace.done('engine');
      trace.rows = result.affected;
      return writeAnswer({ collection, prefix: call.prefix, method, media, preferences, plan }, result);
    } finally {
      body?.release();
    }
  }

  /** Of what is refused a caller who sees less than all is told less. */
  function written(plan: WritePlan, encoding: Encoding, seen: Collection): Promise<WriteResult> {
    const result = engine.write(plan, encoding);
    if (seen.view === undefined) return result;
    return result.catch((error) => {
      throw discreet(error, plan, seen);
    });
  }

  return answer;
}
