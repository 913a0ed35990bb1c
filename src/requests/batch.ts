/** A batch from request to answer: several writes, in order, in one transaction, each with the stages of one write. */

import { runToEnd, schedule, type Task } from '../base/cooperative.ts';
import { withRequest } from '../base/errors.ts';
import type { Catalogue } from '../collection/declaration.ts';
import type { Document } from '../encode/document.ts';
import type { WriteOptions, WriteResult } from '../engine/engine.ts';
import type { Answer } from '../http/answer.ts';
import { type BatchRequest, readBatch } from '../http/batch-call.ts';
import { readDocument } from '../http/body/parse-body.ts';
import { BATCH_PATH } from '../http/target.ts';
import { type RequestContext, trackWork } from '../response/request-context.ts';
import { batchAnswer, type PlannedWrite } from '../response/write.ts';
import { BatchPlanner, REQUESTS_PER_SLICE } from './batch-plan.ts';
import { execute, planBytes, retryOf } from './planned-write.ts';
import type { Writing } from './write.ts';

/** Plans the requests and executes them in one transaction. */
export async function executeBatch(
  { engine, files }: Pick<Writing, 'engine' | 'files'>,
  planner: BatchPlanner,
  isLong: boolean,
  body: Pick<Body, 'count'>,
  terms: WriteOptions,
  context: RequestContext,
): Promise<{ readonly writes: readonly PlannedWrite[]; readonly results: readonly WriteResult[] }> {
  const task = planner.plan();
  const writes = isLong ? await trackWork(context, schedule(task)) : runToEnd(task);
  body.count(writes.reduce((sum, { plan }) => sum + planBytes(plan), 0));
  context.setPlan(writes[0]!.plan);
  for (const [index, { plan }] of writes.entries()) {
    await files?.check(plan, context).catch((error) => {
      throw withRequest(error, index);
    });
  }
  const results = await trackWork(
    context,
    execute(engine, writes, terms).catch((error) => {
      throw writes.length === 1 ? withRequest(error, 0) : error;
    }),
  );
  context.done('transaction');
  return { writes, results };
}

type Body = Awaited<ReturnType<Writing['bodies']['receive']>>;

/** `seen` is the catalogue as the caller sees it. */
export async function batch(
  { engine, bodies, files, allowUnfiltered }: Writing,
  seen: Catalogue,
  context: RequestContext,
): Promise<Answer> {
  const { call } = context;
  const { preferences } = call;
  const dryRun = preferences.tx === 'rollback';
  const body = await bodies.receive(call);
  const read = function* (): Task<readonly BatchRequest[]> {
    const document: Document = yield* readDocument(body.bytes, call.contentType);
    return readBatch(document);
  };
  let planner: BatchPlanner | undefined;
  try {
    const requests = body.isLong ? await trackWork(context, schedule(read())) : runToEnd(read());
    const { origin } = context;
    const retried = { path: BATCH_PATH, isItem: false };
    const terms: WriteOptions = { dryRun, origin, ...retryOf(call, retried, body.bytes, context) };
    context.done('parse');
    planner = new BatchPlanner(requests, call.prefer, { seen, allowUnfiltered, context, access: context.access });
    const isLong = body.isLong || requests.length > REQUESTS_PER_SLICE;
    const { writes, results } = await executeBatch({ engine, files }, planner, isLong, body, terms, context);
    return batchAnswer(writes, preferences, results);
  } catch (error) {
    throw planner === undefined ? error : planner.withSentValue(error);
  } finally {
    body.release();
  }
}
