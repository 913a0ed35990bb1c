/**
 * The way of a request, whole: http → dialect → plan → engine → response. Every stage is one call, in order; whatever
 * one of them refuses is caught here once and becomes an error response.
 */
import type { Collection } from './collection/declaration.ts';
import { pageOf } from './dialect/page.ts';
import { type Preferences, parsePrefer } from './dialect/prefer.ts';
import { parseQuery } from './dialect/query.ts';
import type { Engine, MaybePromise, Reading } from './engine/engine.ts';
import { readBytes, readDocument } from './http/body.ts';
import { type AtWork, allowedMethods, type Call, pathAndQuery, readCall, working } from './http/call.ts';
import { createsOnly, readIfMatch, readRetry } from './http/conditional.ts';
import { optionsHeaders } from './http/cors.ts';
import { negotiate, ofOne } from './http/negotiate.ts';
import type { Pages } from './http/pages.ts';
import { type PlannedRead, planRead, planReadItem } from './plan/read.ts';
import { RememberedReads } from './plan/remembered-reads.ts';
import { wholeRow } from './plan/shape.ts';
import { planWrite, type WriteMethod } from './plan/write.ts';
import { type Answer, REQUEST_ID, toResponse } from './response/answer.ts';
import { encodingOf } from './response/body.ts';
import { answerKey, type KeptAnswer, KeptAnswers, keptResponse, type Place } from './response/kept-answers.ts';
import { acceptsPlan, planResponse } from './response/plan.ts';
import { problemResponse } from './response/problem.ts';
import { itemAnswer, listAnswer } from './response/read.ts';
import { type Answered, type RepeatsOf, Trace } from './response/trace.ts';
import { writeResponse } from './response/write.ts';

export interface AppOptions {
  readonly collection: Collection;
  readonly engine: Engine;
  readonly maxBodyBytes: number;
  readonly allowUnfilteredWrites: boolean;
  /** What else is served beside the collection: descriptions, the console, health. Undefined where nothing is. */
  readonly pages?: Pages;
  /** Told once a request, when its answer is made. */
  readonly onAnswer?: (answer: Answered) => void;
  /** Where answers that are given again are counted instead, if nobody needs to be told of each. */
  readonly repeatsOf?: RepeatsOf | undefined;
  /** Names a request; the name is sent back as X-Request-Id. */
  readonly requestId?: (request: Request) => string;
  /** Whether Accept: application/vnd.pgrst.plan+json is answered. */
  readonly plans?: boolean;
  /** Whether Server-Timing is sent. */
  readonly serverTiming?: boolean;
}

export interface App {
  fetch(request: Request, atWork?: AtWork): MaybePromise<Response>;
  /** What it keeps, for the metrics. */
  readings?(): readonly Reading[];
}

const ACTIONS = { POST: 'insert', PUT: 'replace', PATCH: 'update', DELETE: 'delete' } as const;

export function createApp(options: AppOptions): App {
  const { collection, engine, maxBodyBytes, allowUnfilteredWrites, pages, onAnswer, requestId } = options;
  const { plans = false, serverTiming = false, repeatsOf } = options;
  const collectionPath = `/${collection.name}`;
  const reads = new RememberedReads(collection);
  const keptAnswers = engine.changes === undefined ? undefined : new KeptAnswers(engine.changes, repeatsOf);

  function again(request: Request, trace: Trace, kept: KeptAnswer): Response {
    trace.target = kept.target;
    trace.rows = kept.rows;
    trace.isNamed = true;
    return keptResponse(trace.method, request, kept, trace.id);
  }

  function make(
    request: Request,
    trace: Trace,
    place: Place | undefined,
    atWork: AtWork | undefined,
  ): MaybePromise<Response> {
    const url = pathAndQuery(trace.url);
    const page = url.startsWith(collectionPath) ? undefined : pages?.(url.split('?', 1)[0]!, request);
    if (page !== undefined) return page;
    const call = readCall(trace.method, url, request, collection, atWork);
    trace.target = call.target.kind;
    if (call.method === 'OPTIONS') {
      return new Response(null, { status: 200, headers: optionsHeaders(request, allowedMethods(call.target)) });
    }
    if (call.method !== 'GET' && call.method !== 'HEAD') return write(call, call.method, trace);
    if (plans && acceptsPlan(request)) return explainRead(call);
    const read = call.target.kind === 'item' ? readItem(call, call.target.key, trace) : readList(call, trace);
    return andThen(read, (answer) => {
      if (place !== undefined) keptAnswers!.keep(place, call, answer);
      const response = toResponse(call, answer, trace.id, read instanceof Promise);
      trace.done('response');
      trace.rows = answer.rows;
      trace.isNamed = true;
      return response;
    });
  }

  function readList(call: Call, trace: Trace): MaybePromise<Answer> {
    const { headers } = call.request;
    const media = negotiate(headers.get('accept'));
    const preferences = parsePrefer(headers.get('prefer'));
    trace.done('parse');
    const { query, plan } = plannedRead(call, preferences);
    trace.planned(plan);
    const encoding = encodingOf(media, plan.columns);
    const read = working(call, engine.read(plan, encoding));
    const isLate = read instanceof Promise;
    return andThen(read, (result) => {
      trace.done('engine');
      return listAnswer({ call, media, query, preferences, plan, encoding, isLate }, result);
    });
  }

  function plannedRead({ method, query: text, request }: Call, { count }: Preferences): PlannedRead {
    const range = method === 'GET' ? request.headers.get('range') : null;
    if (range === null && count === undefined) return reads.read(text);
    const query = parseQuery(text);
    return { query, plan: planRead(collection, query, pageOf(query, range), count) };
  }

  /** The plan of the same read, in place of its rows. */
  async function explainRead(call: Call): Promise<Response> {
    const { headers } = call.request;
    const plan =
      call.target.kind === 'item'
        ? planReadItem(collection, call.target.key, reads.read(call.query).plan)
        : plannedRead(call, parsePrefer(headers.get('prefer'))).plan;
    return planResponse(call.request, await engine.explain?.(plan));
  }

  function readItem(call: Call, key: string, trace: Trace): MaybePromise<Answer> {
    const media = ofOne(negotiate(call.request.headers.get('accept')));
    trace.done('parse');
    const plan = planReadItem(collection, key, reads.read(call.query).plan);
    trace.planned(plan);
    const encoding = encodingOf(media, plan.columns);
    // The whole product first: a version may be older than the answer it goes with, but never newer.
    const wholePlan = plan.columns === wholeRow(collection) ? plan : { ...plan, columns: wholeRow(collection) };
    return andThen(working(call, engine.find(wholePlan)), (whole) =>
      andThen(wholePlan === plan ? whole : working(call, engine.find(plan)), (rows) => {
        trace.done('engine');
        return itemAnswer(call, media, encoding, rows, whole[0]);
      }),
    );
  }

  async function write(call: Call, method: WriteMethod, trace: Trace): Promise<Response> {
    const { headers } = call.request;
    const media = negotiate(headers.get('accept'));
    const query = parseQuery(call.query);
    const preferences = parsePrefer(headers.get('prefer'));
    const ifMatch = readIfMatch(call);
    const body = method === 'DELETE' ? undefined : await readBytes(call.request, maxBodyBytes);
    const document = body === undefined ? undefined : readDocument(body, headers.get('content-type'));
    const retry = body === undefined ? undefined : readRetry(call, body);
    trace.done('parse');
    const plan = planWrite(
      collection,
      method,
      {
        query,
        preferences,
        singular: media.singular,
        allowUnfiltered: allowUnfilteredWrites,
        ...(call.target.kind === 'item' ? { item: call.target.key } : {}),
        ...(ifMatch === undefined ? {} : { ifMatch }),
        ...(createsOnly(call) ? { createOnly: true } : {}),
        ...(retry === undefined ? {} : { retry }),
      },
      document,
    );
    trace.planned(plan);
    const result = await working(call, engine.write(plan));
    trace.done('engine');
    const response = writeResponse(collection, ACTIONS[method], media, preferences, plan, result);
    trace.done('response');
    trace.rows = result.affected;
    return response;
  }

  function refuse(trace: Trace, error: unknown): Response {
    trace.error = error;
    return problemResponse(error, trace.method);
  }

  function report(trace: Trace, response: Response): Response {
    if (trace.id !== undefined && !trace.isNamed) response.headers.set(REQUEST_ID, trace.id);
    if (serverTiming) response.headers.set('server-timing', trace.header());
    trace.answered(response.status);
    onAnswer?.(trace);
    return response;
  }

  return {
    readings: () => keptAnswers?.readings() ?? [],

    fetch(request, atWork) {
      const { method, url } = request;
      const id = requestId?.(request);
      let place: Place | undefined;
      let kept: KeptAnswer | undefined;
      if (keptAnswers !== undefined && (method === 'GET' || method === 'HEAD')) {
        const key = answerKey(method, url, request.headers);
        kept = keptAnswers.find(key);
        if (kept === undefined) place = { key, mark: keptAnswers.lastMark() };
        else if (repeatsOf !== undefined) return keptResponse(method, request, kept, id);
      }
      const trace = new Trace(method, url, id, serverTiming);
      try {
        const response = kept === undefined ? make(request, trace, place, atWork) : again(request, trace, kept);
        if (!(response instanceof Promise)) return report(trace, response);
        return response.catch((error) => refuse(trace, error)).then((settled) => report(trace, settled));
      } catch (error) {
        return report(trace, refuse(trace, error));
      }
    },
  };
}

function andThen<A, B>(value: MaybePromise<A>, next: (value: A) => MaybePromise<B>): MaybePromise<B> {
  return value instanceof Promise ? value.then(next) : next(value);
}
