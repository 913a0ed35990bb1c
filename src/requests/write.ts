/** A write from request to answer: http → dialect → plan → engine → response, one call per stage. */
import { runToEnd, schedule, type Task } from '../base/cooperative.ts';
import { ErrorList } from '../base/error-list.ts';
import { ApiError } from '../base/errors.ts';
import { plansDenied } from '../collection/access/permission-errors.ts';
import { withSentValue } from '../dialect/payload.ts';
import type { Document } from '../encode/document.ts';
import type { Engine, WriteOptions, WriteResult } from '../engine/engine.ts';
import type { Files } from '../files/files.ts';
import type { Answer } from '../http/answer.ts';
import type { BodyReceiver } from '../http/body/body-receiver.ts';
import { readDocument } from '../http/body/parse-body.ts';
import { JSON_MEDIA } from '../http/negotiate.ts';
import type { Rows } from '../http/rows.ts';
import { acceptsPlan, planAnswer, planFormat, planOptions } from '../response/plan.ts';
import { withChosen } from '../response/read.ts';
import { redactError } from '../response/redact-errors.ts';
import { type RequestContext, trackWork } from '../response/request-context.ts';
import { retryOf } from '../response/retry.ts';
import { type PlannedWrite, writeAnswer } from '../response/write.ts';
import { execute, planBytes, planCall, readWrite, withoutHiddenColumns } from './planned-write.ts';

export interface Writing {
  readonly engine: Engine;
  readonly bodies: BodyReceiver;
  /** Absent if no field holds a file. */
  readonly files: Files | undefined;
  readonly allowUnfiltered: boolean;
  /** Whether clients may request query plans. */
  readonly plans?: boolean;
}

export async function write(
  { engine, bodies, files, allowUnfiltered, plans = false }: Writing,
  rows: Rows,
  context: RequestContext,
  call = context.call,
): Promise<Answer> {
  const isPlan = plans && acceptsPlan(call);
  const received = readWrite(call, rows, context, isPlan ? JSON_MEDIA : call.media);
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
    if (isPlan) return await explainWrite(engine, planned, context);
    await files?.check(planned.plan, context);
    const work =
      errors === undefined ? execute(engine, [planned], terms) : executeOrList(engine, planned, terms, errors);
    const [result] = await trackWork(context, work);
    context.done('transaction');
    return withChosen(writeAnswer(planned, result!), result!.chosen, context);
  } catch (error) {
    // An error of the whole request may follow from those of its rows.
    const isFollowing = error instanceof ApiError && error.status < 500 && error.errors === undefined;
    const reported = isFollowing && errors !== undefined && errors.total > 0 ? errors.toError() : error;
    const shown = await withoutHiddenColumns(reported, received, context);
    throw withSentValue(shown, document, received.query.columns);
  } finally {
    body?.release();
  }
}

/** Returns the query plan instead of a change. */
async function explainWrite(engine: Engine, write: PlannedWrite, { access, call }: RequestContext): Promise<Answer> {
  if (access?.permissions !== undefined) throw plansDenied();
  return planAnswer(call, await engine.explainWrite?.(write, planOptions(call), planFormat(call)));
}

/**
 * `Prefer: errors=all`: a rejected body is checked completely, and the response lists every error. `errors` has the
 * errors of planning. Without any, the write runs first: it alone decides whether it succeeds.
 */
async function executeOrList(
  engine: Engine,
  planned: PlannedWrite,
  terms: WriteOptions,
  errors: ErrorList,
): Promise<readonly WriteResult[]> {
  const rejection = (error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    const { code, index, field } = error;
    if (index !== undefined || field !== undefined || code === '42501' || code.startsWith('23')) return error;
    throw error;
  };
  const failure = errors.total === 0 ? await execute(engine, [planned], terms).catch(rejection) : undefined;
  if (failure !== undefined && !(failure instanceof ApiError)) return failure;
  const { plan, collection } = planned;
  await engine.problems(plan, (error) => {
    // A caller who does not see every row learns one problem per row, as from a request with this row alone.
    const rows = collection.view === undefined ? errors.unread : errors.indexes;
    if (!rows.has(error.index!)) errors.report(redactError(error, plan, collection) as ApiError);
  });
  // Only the write knows some errors, such as those of triggers.
  const isListed = failure?.index === undefined ? errors.total > 0 : errors.indexes.has(failure.index);
  if (failure !== undefined && !isListed) errors.report(failure);
  throw errors.toError();
}
