/** A call of /rpc/<name> from request to answer: a stored query, an action, or a function of the database. */

import { runToEnd } from '../base/cooperative.ts';
import { ApiError } from '../base/errors.ts';
import { decode, splitQuery } from '../base/net/query-string.ts';
import type { Action, Catalogue, Routine } from '../collection/declaration.ts';
import type { BodyType } from '../collection/draft.ts';
import { WrittenNumber } from '../collection/exact-json.ts';
import { groupTexts, parseRefinement, type Refinement, splitArguments } from '../dialect/call-query.ts';
import { pageOf } from '../dialect/query.ts';
import type { MaybePromise } from '../engine/engine.ts';
import type { Answer } from '../http/answer.ts';
import type { BodyReceiver } from '../http/body/body-receiver.ts';
import { decodeText, readDocument } from '../http/body/parse-body.ts';
import type { Call } from '../http/call.ts';
import { optionsAnswer } from '../http/methods.ts';
import { JSON_MEDIA, negotiate, prefersMedia } from '../http/negotiate.ts';
import { checkUrlLength } from '../http/rows.ts';
import { RPC_PATH } from '../http/target.ts';
import {
  callArguments,
  findRoutine,
  type GivenArguments,
  type Lookup,
  maxRowsOf,
  planFunction,
  readArguments,
  routinesNamed,
  shapeOf,
} from '../plan/call/arguments.ts';
import { planStored, refineStored, storedRequest } from '../plan/call/stored-query.ts';
import { withMaxRows } from '../plan/read/page.ts';
import type { FunctionCall } from '../plan/types.ts';
import { acceptsPlan } from '../response/plan.ts';
import { callAnswer, callEncoding } from '../response/read.ts';
import { andThen, type RequestContext, trackWork } from '../response/request-context.ts';
import { callAction } from './batch.ts';
import { explainPlan, handledBy, type Reading, readPlanned } from './read.ts';
import type { Writing } from './write.ts';

const METHODS = ['OPTIONS', 'GET', 'HEAD', 'POST'];
const POST_ONLY = ['OPTIONS', 'POST'];

interface Calling extends Reading {
  readonly bodies: BodyReceiver;
  readonly writing: Writing;
  /** The whole catalogue, in which actions run. */
  readonly catalogue: Catalogue;
  /** Whether clients may request query plans. */
  readonly plans: boolean;
}

/** `part` of the path is the name, and `seen` the catalogue as the caller sees it. */
export function callRoutine(
  calling: Calling,
  part: string,
  seen: Catalogue,
  context: RequestContext,
): MaybePromise<Answer> {
  const { call } = context;
  checkUrlLength(call);
  if (!METHODS.includes(call.method)) {
    const allow = METHODS.join(', ');
    throw new ApiError('PGRST101', `Cannot use the ${call.method} method on RPC`, {
      hint: `Allowed here: ${allow}.`,
      headers: { allow },
    });
  }
  const name = decode(part);
  if (call.method === 'OPTIONS') {
    const isVolatile = seen.routines.get(name)?.every((each) => each.kind === 'function' && each.isVolatile) === true;
    return optionsAnswer(call, isVolatile ? POST_ONLY : METHODS);
  }
  const candidates = routinesNamed(seen, name);
  if (candidates.length > 0) context.route = `${RPC_PATH}/${name}`;
  const lookup = { name, seen };
  const action = candidates.find((each) => each.kind === 'action');
  if (action !== undefined) return callAction(calling, action, context);
  const callable = candidates.filter((each) => each.kind !== 'action');
  if (call.method !== 'POST') {
    const { given, rest } = splitArguments(call.query, call.languages !== undefined && !hasLanguageArgument(callable));
    const texts = groupTexts(splitQuery(given));
    const asked = parseRefinement(rest);
    const answered = callOne(calling, callable, { kind: 'texts', texts }, asked, context, lookup);
    return andThen(answered, (answer) => withLanguage(answer, call));
  }
  const asked = parseRefinement(call.query);
  const received = receiveArguments(calling.bodies, call, asked.columns);
  return received.then((given) => callOne(calling, callable, given, asked, context, lookup));
}

function hasLanguageArgument(routines: readonly Routine[]): boolean {
  return routines.some(({ parameters }) => parameters.some(({ name }) => name === 'lang'));
}

/** The call in the language that a stored query names, or else its own `lang`, or a header. */
function inLanguage({ language, ...asked }: Refinement, stored: string | undefined, call: Call): Refinement {
  const named = stored ?? language;
  const { languages } = call;
  if (languages !== undefined && named !== undefined) call.languages = { ...languages, shown: languages.named(named) };
  const shown = call.languages?.shown;
  return shown === undefined ? asked : { ...asked, language: shown };
}

/** Names the language in an answer that may be cached: it may differ from that of the request. */
function withLanguage(answer: Answer, { languages }: Call): Answer {
  if (languages === undefined) return answer;
  return { ...answer, headers: { 'content-language': languages.shown ?? languages.own, ...answer.headers } };
}

function callOne(
  { engine, plans, maxRows }: Calling,
  candidates: readonly Exclude<Routine, Action>[],
  given: GivenArguments,
  refinement: Refinement,
  context: RequestContext,
  lookup: Lookup,
): MaybePromise<Answer> {
  const { call } = context;
  const routine = findRoutine(candidates, shapeOf(given), lookup);
  const stored = routine.kind === 'query' ? storedRequest(routine).language : undefined;
  const asked = inLanguage(refinement, stored, call);
  const isPlan = plans && acceptsPlan(call);
  const mediaType = mediaTypeOf(routine, call.accept);
  const handlers = routine.kind === 'function' ? routine.returns?.collection.draft.media : undefined;
  const isOwn = isPlan || (mediaType !== undefined && routine.kind === 'function');
  const media = isOwn ? JSON_MEDIA : (handledBy(handlers, asked, call) ?? negotiate(mediaType ?? call.accept));
  const { preferences } = call;
  const permissions = context.access?.permissions;
  const hasOwnLanguage = stored !== undefined || hasLanguageArgument(candidates);
  const answered = { media, preferences, context, hasOwnLanguage };
  if (routine.kind === 'query') {
    checkObject(given);
    const refined = refineStored(routine, readArguments(routine.parameters, given), asked);
    const page = pageOf(refined.query, call.range);
    context.done('parse');
    const plan = withMaxRows(planStored(routine, refined, page, preferences.count, permissions), maxRows);
    if (isPlan) return explainPlan(engine, plan, context);
    return readPlanned(engine, { ...answered, plan, query: refined.query });
  }
  // A function decides by the claims itself, and may show an administrator less than others.
  if (call.askedClaims !== null) throw new ApiError('42501', 'X-As-Claims does not apply to functions of the database');
  const maxAffected = preferences.handling === 'strict' ? preferences['max-affected'] : undefined;
  const isReadOnly = call.method !== 'POST' || !routine.isVolatile;
  checkIdempotency(call, isReadOnly);
  const source: FunctionCall = {
    function: routine,
    arguments: callArguments(given, routine.body !== undefined),
    isReadOnly,
    dryRun: preferences.tx === 'rollback',
    settings: settingsOf(context),
    ...maxRowsOf(routine, maxAffected),
  };
  const page = pageOf(asked, call.range);
  context.done('parse');
  const plan = withMaxRows(planFunction(source, asked, page, preferences.count, permissions), maxRows);
  if (isPlan) return explainPlan(engine, plan, context);
  context.setPlan(plan);
  const work = engine.read(plan, callEncoding(routine, media, plan, context));
  return andThen(trackWork(context, work), (result) => {
    context.done('transaction');
    return callAnswer(routine, { ...answered, plan, query: asked }, result, mediaType);
  });
}

/** The declared media type of a query or of a function's value, if the client accepts it. */
function mediaTypeOf(routine: Exclude<Routine, Action>, accept: string | null): string | undefined {
  const mediaType = routine.kind === 'function' ? routine.returns?.mediaType : routine.mediaType;
  return mediaType !== undefined && prefersMedia(accept, mediaType.split(';')[0]!) ? mediaType : undefined;
}

/** The answer to a repetition would not be stored. */
function checkIdempotency({ idempotencyKey }: Call, isReadOnly: boolean): void {
  if (isReadOnly || idempotencyKey === null) return;
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

export function settingsOf({ call, caller }: RequestContext): Record<string, string> {
  return {
    'request.method': call.method,
    'request.path': call.pathname,
    'request.headers': JSON.stringify(call.shownHeaders),
    'request.cookies': JSON.stringify(call.cookies),
    'request.jwt.claims': JSON.stringify({ ...caller?.claims, role: caller?.role ?? 'anonymous' }),
  };
}

/** Bodies without names, and the types of parameters that take them. */
const OPAQUE: Readonly<Record<string, BodyType>> = {
  'text/plain': 'text',
  'text/xml': 'xml',
  'application/octet-stream': 'bytea',
};
const FORM = 'application/x-www-form-urlencoded';

/** `columns` names the arguments to use. */
async function receiveArguments(
  bodies: BodyReceiver,
  call: Call,
  columns: readonly string[] | undefined,
): Promise<GivenArguments> {
  const { contentType } = call;
  const [mediaType = ''] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  const body = await bodies.receive(call);
  try {
    const { bytes } = body;
    const type = Object.hasOwn(OPAQUE, mediaType) ? OPAQUE[mediaType]! : undefined;
    if (type !== undefined)
      return { kind: 'opaque', type, text: type === 'bytea' ? `\\x${bytes.toHex()}` : decodeText(bytes) };
    if (bytes.length === 0) return { kind: 'json', values: new Map(), whole: '{}' };
    const document = runToEnd(readDocument(bytes, contentType));
    if (mediaType === FORM) return { kind: 'texts', texts: groupTexts(splitQuery(decodeText(bytes))) };
    const isUsed = (name: string) => columns?.includes(name) ?? true;
    const object =
      document.kind === 'json'
        ? objectIn(document.value)
        : Object.fromEntries(document.header.map((name, index) => [name, document.rows[0]?.[index] ?? null]));
    const values = new Map(Object.entries(object).filter(([name]) => isUsed(name)));
    return { kind: 'json', values, ...(document.kind === 'json' ? { whole: decodeText(bytes) } : {}) };
  } finally {
    body.release();
  }
}

/** The object, or the first of a list. Anything else has no names. */
function objectIn(value: unknown): object {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'object' && first !== null && !(first instanceof WrittenNumber) ? first : {};
}
