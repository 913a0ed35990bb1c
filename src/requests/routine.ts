/** A call of /rpc/<name> from request to answer: a stored query, or a function of the database. */
import { ApiError } from '../base/errors.ts';
import { splitQuery } from '../base/net/query-string.ts';
import type { Catalogue, Routine } from '../collection/declaration.ts';
import { groupTexts, parseRefinement, type Refinement, splitArguments } from '../dialect/call-query.ts';
import { pageOf } from '../dialect/page.ts';
import { parsePrefer } from '../dialect/prefer.ts';
import type { Query } from '../dialect/tree.ts';
import type { Engine, MaybePromise } from '../engine/engine.ts';
import type { Answer } from '../http/answer.ts';
import type { BodyReceiver } from '../http/body/body-receiver.ts';
import { type Call, COLLECTION, checkUrlLength } from '../http/call.ts';
import { optionsHeaders } from '../http/edge/cors.ts';
import { JSON_MEDIA, negotiate, prefersMedia } from '../http/negotiate.ts';
import { RPC_PATH } from '../http/own-paths.ts';
import { callArguments, type GivenArguments, readArguments, shapeOf } from '../plan/call/arguments.ts';
import { findRoutine, routinesNamed } from '../plan/call/find-routine.ts';
import { maxRowsOf, planFunction } from '../plan/call/function-call.ts';
import { planStored, refineStored } from '../plan/call/stored-query.ts';
import { withMaxRows } from '../plan/read/max-rows.ts';
import type { FunctionCall, ReadPlan } from '../plan/types.ts';
import { callAnswer, callEncoding } from '../response/call.ts';
import { acceptsPlan } from '../response/plan.ts';
import { andThen, type RequestContext, trackWork } from '../response/request-context.ts';
import { receiveArguments } from './call-arguments.ts';
import { explainPlan, readPlanned } from './read.ts';
import { settingsOf } from './request-settings.ts';

const METHODS = ['OPTIONS', 'GET', 'HEAD', 'POST'] as const;

export interface Calling {
  readonly engine: Engine;
  readonly bodies: BodyReceiver;
  /** Whether clients may request query plans. */
  readonly plans: boolean;
  /** The maximum number of rows of a list; 0 means no limit. */
  readonly maxRows: number;
}

/** `seen` is the catalogue as the caller sees it. */
export function callRoutine(
  calling: Calling,
  name: string,
  request: Request,
  seen: Catalogue,
  context: RequestContext,
): MaybePromise<Answer> {
  const { path } = context.location;
  checkUrlLength(path);
  const method = METHODS.find((each) => each === context.method);
  const allow = METHODS.join(', ');
  if (method === undefined) {
    throw new ApiError('PGRST101', `Cannot use the ${context.method} method on RPC`, {
      hint: `Allowed here: ${allow}.`,
      headers: { allow },
    });
  }
  if (method === 'OPTIONS') return { status: 200, headers: optionsHeaders(request, allow), body: null };
  const candidates = routinesNamed(seen, name);
  context.route = `${RPC_PATH}/${name}`;
  const mark = path.indexOf('?');
  const text = mark === -1 ? '' : path.slice(mark + 1);
  if (method !== 'POST') {
    const { given, rest } = splitArguments(text);
    const texts = groupTexts(splitQuery(given));
    return call(calling, candidates, { kind: 'texts', texts }, parseRefinement(rest), method, request, context, given);
  }
  const asked = parseRefinement(text);
  const received = receiveArguments(calling.bodies, request, asked.columns);
  return received.then((given) => call(calling, candidates, given, asked, method, request, context));
}

function call(
  { engine, plans, maxRows }: Calling,
  candidates: readonly Routine[],
  given: GivenArguments,
  asked: Refinement,
  method: 'GET' | 'HEAD' | 'POST',
  request: Request,
  context: RequestContext,
  inUrl = '',
): MaybePromise<Answer> {
  const { headers } = request;
  const routine = findRoutine(candidates, shapeOf(given));
  const isPlan = plans && acceptsPlan(request);
  const mediaType = mediaTypeOf(routine, headers.get('accept'));
  const media = isPlan || mediaType !== undefined ? JSON_MEDIA : negotiate(headers.get('accept'));
  const preferences = parsePrefer(headers.get('prefer'));
  const pageIn = (query: Query) => pageOf(query, method === 'GET' ? headers.get('range') : null);
  const permissions = context.access?.permissions;
  const { prefix, path } = context.location;
  const answered = (plan: ReadPlan, query: Query) => {
    const call: Call = {
      method,
      collection: plan.from,
      target: COLLECTION,
      url: prefix + path,
      prefix,
      path,
      query: '',
      request,
    };
    return { call, media, query, preferences, plan, context, arguments: inUrl };
  };
  if (routine.kind === 'query') {
    checkObject(given);
    const refined = refineStored(routine, readArguments(routine.parameters, given), asked);
    const page = pageIn(refined.query);
    context.done('parse');
    const plan = withMaxRows(planStored(routine, refined, page, preferences.count, permissions), maxRows);
    if (isPlan) return explainPlan(engine, plan, request, context);
    return readPlanned(engine, answered(plan, refined.query));
  }
  const maxAffected = preferences.handling === 'strict' ? preferences['max-affected'] : undefined;
  const isReadOnly = method !== 'POST' || !routine.isVolatile;
  checkIdempotency(request, isReadOnly);
  const source: FunctionCall = {
    function: routine,
    arguments: callArguments(given, routine.body !== undefined),
    isReadOnly,
    dryRun: preferences.tx === 'rollback',
    settings: settingsOf(request, context),
    ...maxRowsOf(routine, maxAffected),
  };
  const page = pageIn(asked);
  context.done('parse');
  const plan = withMaxRows(planFunction(source, asked, page, preferences.count, permissions), maxRows);
  if (isPlan) return explainPlan(engine, plan, request, context);
  context.setPlan(plan);
  const work = engine.read(plan, callEncoding(routine, media, plan));
  return andThen(trackWork(context, work), (result) => {
    context.done('engine');
    return callAnswer(routine, answered(plan, asked), result, mediaType);
  });
}

/** The media type of the function's value, if the client accepts it. */
function mediaTypeOf(routine: Routine, accept: string | null): string | undefined {
  const mediaType = routine.kind === 'function' ? routine.returns?.mediaType : undefined;
  return mediaType !== undefined && prefersMedia(accept, mediaType) ? mediaType : undefined;
}

/** The answer to a repetition would not be stored. */
function checkIdempotency({ headers }: Request, isReadOnly: boolean): void {
  if (isReadOnly || headers.get('idempotency-key') === null) return;
  throw new ApiError('PGRST127', 'Idempotency-Key is not available for functions that change data', {
    hint: 'Pass the key as an argument, and let the function store it.',
  });
}

/** The arguments of a query have names. */
function checkObject(given: GivenArguments): void {
  if (given.kind !== 'json' || given.values.size > 0 || /^\s*[{[]/.test(given.whole ?? '{')) return;
  throw new ApiError('PGRST102', 'the body is not a JSON object', {
    hint: 'Send an object with the arguments: {"name": value}.',
  });
}
