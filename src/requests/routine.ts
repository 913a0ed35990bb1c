/** A call of /rpc/<name> from request to answer. */
import { runToEnd } from '../base/cooperative.ts';
import { ApiError } from '../base/errors.ts';
import type { Catalogue } from '../collection/declaration.ts';
import { groupTexts, parseRefinement, splitArguments } from '../dialect/call-query.ts';
import { pageOf } from '../dialect/page.ts';
import { parsePrefer } from '../dialect/prefer.ts';
import type { Engine, MaybePromise } from '../engine/engine.ts';
import type { Answer } from '../http/answer.ts';
import type { BodyReceiver } from '../http/body/body-receiver.ts';
import { readDocument } from '../http/body/parse-body.ts';
import { type Call, COLLECTION, checkUrlLength } from '../http/call.ts';
import { optionsHeaders } from '../http/edge/cors.ts';
import { negotiate } from '../http/negotiate.ts';
import { RPC_PATH } from '../http/own-paths.ts';
import { type GivenArguments, namesOf, readArguments } from '../plan/call/arguments.ts';
import { findRoutine, routinesNamed } from '../plan/call/find-routine.ts';
import { planStored, refineStored } from '../plan/call/stored-query.ts';
import { acceptsPlan } from '../response/plan.ts';
import { andThen, type RequestContext } from '../response/request-context.ts';
import { explainPlan, readPlanned } from './read.ts';

const METHODS = ['OPTIONS', 'GET', 'HEAD', 'POST'] as const;

export interface Calling {
  readonly engine: Engine;
  readonly bodies: BodyReceiver;
  /** Whether clients may request query plans. */
  readonly plans: boolean;
}

/** `seen` is the catalogue as the caller sees it. */
export function callRoutine(
  { engine, bodies, plans }: Calling,
  name: string,
  request: Request,
  seen: Catalogue,
  context: RequestContext,
): MaybePromise<Answer> {
  const { prefix, path } = context.location;
  checkUrlLength(path);
  const method = METHODS.find((each) => each === context.method);
  if (method === undefined) {
    throw new ApiError('PGRST101', `Cannot use the ${context.method} method on RPC`, {
      hint: `Allowed here: ${METHODS.join(', ')}.`,
      headers: { allow: METHODS.join(', ') },
    });
  }
  if (method === 'OPTIONS') return { status: 200, headers: optionsHeaders(request, METHODS.join(', ')), body: null };
  const candidates = routinesNamed(seen, name);
  context.route = `${RPC_PATH}/${name}`;
  const { headers } = request;
  const mark = path.indexOf('?');
  const text = mark === -1 ? '' : path.slice(mark + 1);
  const { texts, rest } = method === 'POST' ? { texts: undefined, rest: text } : splitArguments(text);
  const asked = parseRefinement(rest);
  const received: MaybePromise<GivenArguments> =
    texts === undefined ? receiveArguments(bodies, request, asked.columns) : { kind: 'texts', texts };
  return andThen(received, (given) => {
    const routine = findRoutine(candidates, namesOf(given));
    const refined = refineStored(routine, readArguments(routine.parameters, given), asked);
    const media = negotiate(headers.get('accept'));
    const preferences = parsePrefer(headers.get('prefer'));
    const page = pageOf(refined.query, method === 'GET' ? headers.get('range') : null);
    context.done('parse');
    const plan = planStored(routine, refined, page, preferences.count, context.access?.permissions);
    if (plans && acceptsPlan(request)) return explainPlan(engine, plan, request, context);
    const { collection } = routine;
    const call: Call = {
      method,
      collection,
      target: COLLECTION,
      url: prefix + path,
      prefix,
      path,
      query: text,
      request,
    };
    return readPlanned(engine, { call, media, query: refined.query, preferences, plan, context });
  });
}

/** An object with the arguments, or a form. An empty body has none. `columns` names those to use. */
async function receiveArguments(
  bodies: BodyReceiver,
  request: Request,
  columns: readonly string[] | undefined,
): Promise<GivenArguments> {
  const body = await bodies.receive(request);
  try {
    const isUsed = (name: string) => columns?.includes(name) ?? true;
    if (body.bytes.length === 0) return { kind: 'json', values: new Map() };
    const document = runToEnd(readDocument(body.bytes, request.headers.get('content-type')));
    if (document.kind === 'table') return { kind: 'texts', texts: groupTexts([]) };
    const { value } = document;
    const object: unknown = Array.isArray(value) ? value[0] : value;
    if (typeof object !== 'object' || object === null) {
      throw new ApiError('PGRST102', 'the body is not a JSON object', {
        hint: 'Send an object with the arguments: {"name": value}.',
      });
    }
    return { kind: 'json', values: new Map(Object.entries(object).filter(([name]) => isUsed(name))) };
  } finally {
    body.release();
  }
}
