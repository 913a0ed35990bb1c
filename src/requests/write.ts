/** A write from request to answer: http → dialect → plan → engine → response, one call per stage. */

import { runToEnd, schedule, type Task } from '../base/cooperative.ts';
import { ErrorList } from '../base/error-list.ts';
import { ApiError } from '../base/errors.ts';
import { withSentValue } from '../dialect/payload.ts';
import type { Document } from '../encode/document.ts';
import type { Engine, WriteOptions } from '../engine/engine.ts';
import type { Files } from '../files/files.ts';
import type { Answer } from '../http/answer.ts';
import type { BodyReceiver } from '../http/body/body-receiver.ts';
import { readDocument } from '../http/body/parse-body.ts';
import type { Rows } from '../http/rows.ts';
import { planBytes } from '../plan/weight.ts';
import { type RequestContext, trackWork } from '../response/request-context.ts';
import { writeAnswer } from '../response/write.ts';
import { executeOrList } from './all-errors.ts';
import { execute, type PlannedWrite, planCall, readWrite } from './planned-write.ts';
import { retryOf } from './retry.ts';

export interface Writing {
  readonly engine: Engine;
  readonly bodies: BodyReceiver;
  /** Absent if no field holds a file. */
  readonly files: Files | undefined;
  readonly allowUnfiltered: boolean;
}

export async function write(
  { engine, bodies, files, allowUnfiltered }: Writing,
  rows: Rows,
  context: RequestContext,
  call = context.call,
): Promise<Answer> {
  const received = readWrite(call, rows, context);
  const dryRun = received.preferences.tx === 'rollback';
  let terms: WriteOptions = { dryRun, origin: context.origin };
  const body = call.method === 'DELETE' ? undefined : await bodies.receive(call);
  const errors = received.preferences.errors === 'all' && body !== undefined ? new ErrorList() : undefined;
  let document: Document | undefined;
  const understand = function* (): Task<PlannedWrite> {
    document = body && (yield* readDocument(body.bytes, call.contentType));
    const retried = { path: call.location.path, isItem: rows.key !== undefined };
    if (body !== undefined) terms = { ...terms, ...retryOf(call, retried, body.bytes, context) };
    context.done('parse');
    return yield* planCall(received, document, allowUnfiltered, context, errors?.report);
  };
  try {
    const planned = body?.isLong === true ? await trackWork(context, schedule(understand())) : runToEnd(understand());
    body?.count(planBytes(planned.plan));
    context.setPlan(planned.plan);
    await files?.check(planned.plan, context);
    const work =
      errors === undefined ? execute(engine, [planned], terms) : executeOrList(engine, planned, terms, errors);
    const [result] = await trackWork(context, work);
    context.done('engine');
    return writeAnswer(planned, result!);
  } catch (error) {
    // An error of the whole request may follow from those of its rows.
    const isFollowing = error instanceof ApiError && error.status < 500 && error.errors === undefined;
    const reported = isFollowing && errors !== undefined && errors.total > 0 ? errors.toError() : error;
    throw withSentValue(reported, document, received.query.columns);
  } finally {
    body?.release();
  }
}
