/** A write from request to answer: http → dialect → plan → engine → response, one call per stage. */

import { runToEnd, schedule, type Task } from '../base/cooperative.ts';
import type { Collection } from '../collection/declaration.ts';
import { withSentValue } from '../dialect/payload.ts';
import { parsePrefer } from '../dialect/prefer.ts';
import { parseQuery } from '../dialect/query.ts';
import type { Document } from '../encode/document.ts';
import type { Encoding } from '../encode/encoding.ts';
import type { Engine, WriteResult } from '../engine/engine.ts';
import type { Answer } from '../http/answer.ts';
import type { BodyReceiver } from '../http/body/body-receiver.ts';
import { readDocument } from '../http/body/parse-body.ts';
import type { Call } from '../http/call.ts';
import { isCreateOnly, readIdempotencyKey, readIfMatch } from '../http/conditional.ts';
import { negotiate } from '../http/negotiate.ts';
import { NO_COLUMNS } from '../plan/read/shape.ts';
import type { WritePlan } from '../plan/types.ts';
import { planBytes } from '../plan/weight.ts';
import { checkRights, planWrite, type WriteMethod } from '../plan/write/write.ts';
import { scopeIdempotencyKey } from '../response/authenticate.ts';
import { encodingOf } from '../response/body.ts';
import { redactError } from '../response/redact-errors.ts';
import { type RequestContext, trackWork } from '../response/request-context.ts';
import { writeAnswer } from '../response/write.ts';

export interface Writing {
  readonly engine: Engine;
  readonly bodies: BodyReceiver;
  readonly allowUnfiltered: boolean;
}

export async function write(
  { engine, bodies, allowUnfiltered }: Writing,
  call: Call,
  method: WriteMethod,
  context: RequestContext,
): Promise<Answer> {
  const { collection, prefix } = call;
  const { headers } = call.request;
  const media = negotiate(headers.get('accept'));
  const addressed = {
    preferences: parsePrefer(headers.get('prefer')),
    createOnly: isCreateOnly(call),
    ...(call.target.kind === 'item' ? { item: call.target.key } : {}),
  };
  const { preferences } = addressed;
  checkRights(collection, method, addressed, context.access?.permissions);
  const query = parseQuery(call.query);
  const ifMatch = readIfMatch(call);
  const body = method === 'DELETE' ? undefined : await bodies.receive(call.request);
  let document: Document | undefined;
  const understand = function* (): Task<WritePlan> {
    document = body && (yield* readDocument(body.bytes, headers.get('content-type')));
    const retry = body && readIdempotencyKey(call, body.bytes);
    const own = retry && scopeIdempotencyKey(retry, context);
    context.done('parse');
    const request = {
      ...addressed,
      query,
      url: `${prefix}/${collection.name}`,
      singular: media.singular,
      allowUnfiltered,
      ...(ifMatch === undefined ? {} : { ifMatch }),
      ...(own === undefined ? {} : { retry: own }),
    };
    return yield* planWrite(collection, method, request, document, context.access?.permissions);
  };
  try {
    const plan = body?.isLong === true ? await trackWork(context, schedule(understand())) : runToEnd(understand());
    body?.count(planBytes(plan));
    context.planned(plan);
    const encoding = encodingOf(media, plan.returning?.columns ?? NO_COLUMNS);
    const result = await trackWork(context, written(engine, plan, encoding, collection));
    context.done('engine');
    return writeAnswer({ collection, prefix, method, media, preferences, plan }, result);
  } catch (error) {
    throw withSentValue(error, document, query.columns);
  } finally {
    body?.release();
  }
}

/** Errors are redacted for callers who do not see everything. */
function written(engine: Engine, plan: WritePlan, encoding: Encoding, seen: Collection): Promise<WriteResult> {
  const result = engine.write(plan, encoding);
  if (seen.view === undefined) return result;
  return result.catch((error) => {
    throw redactError(error, plan, seen);
  });
}
