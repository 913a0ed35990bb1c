/**
 * A batch from request to answer: several writes, in order, in one transaction, each with the stages of one write. An
 * action is a batch of the declaration, with its rights, and the caller's values.
 */
import { runToEnd, schedule, type Task } from '../base/cooperative.ts';
import { ErrorList } from '../base/error-list.ts';
import { ApiError, withRequest } from '../base/errors.ts';
import { pathPart } from '../base/net/query-string.ts';
import type { Action, Catalogue } from '../collection/declaration.ts';
import { isObject } from '../collection/exact-json.ts';
import type { Document } from '../encode/document.ts';
import type { WriteOptions, WriteResult } from '../engine/engine.ts';
import type { Answer } from '../http/answer.ts';
import { type BatchRequest, readBatch } from '../http/batch-call.ts';
import { readDocument } from '../http/body/parse-body.ts';
import type { Call } from '../http/call.ts';
import { BATCH_PATH, RPC_PATH } from '../http/target.ts';
import { type BoundEntry, bindAction, isOneRow, readActionArguments } from '../plan/call/action.ts';
import { findRoutine } from '../plan/call/arguments.ts';
import { DUPLICATE, isDeclaredLimit } from '../response/redact-errors.ts';
import { type RequestContext, trackWork } from '../response/request-context.ts';
import { retryOf } from '../response/retry.ts';
import { batchAnswer, type PlannedWrite } from '../response/write.ts';
import { BatchPlanner, type BoundRequest, REQUESTS_PER_SLICE } from './batch-plan.ts';
import { execute, planBytes } from './planned-write.ts';
import type { Writing } from './write.ts';

/** Plans the requests and executes them in one transaction. */
async function executeBatch(
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
    throw planner === undefined ? error : await planner.shownError(error);
  } finally {
    body.release();
  }
}

interface Acting {
  readonly writing: Writing;
  readonly catalogue: Catalogue;
}

export async function callAction(
  { writing, catalogue }: Acting,
  action: Action,
  context: RequestContext,
): Promise<Answer> {
  const { call } = context;
  const { preferences } = call;
  checkCall(call, action);
  const body = await writing.bodies.receive(call);
  const errors = preferences.errors === 'all' ? new ErrorList() : undefined;
  let bound: readonly BoundEntry[] = [];
  try {
    const reading = argumentsIn(body.bytes, call.contentType);
    const given = new Map(
      Object.entries(body.isLong ? await trackWork(context, schedule(reading)) : runToEnd(reading)),
    );
    const shape = { names: [...given.keys()], body: [], isOpaque: false };
    findRoutine([action], shape, { name: action.name, seen: catalogue });
    const values = readActionArguments(action, given, errors?.report);
    if (errors !== undefined && errors.total > 0) throw errors.toError();
    const claims = context.caller?.claims ?? {};
    bound = bindAction(action, values, { claims, now: new Date().toISOString() });
    const retried = { path: `${RPC_PATH}/${action.name}`, isItem: false };
    const dryRun = preferences.tx === 'rollback';
    const terms = { dryRun, origin: context.origin, ...retryOf(call, retried, body.bytes, context) };
    context.done('parse');
    if (bound.length === 0) return resultAnswer(action, bound, [], { status: 200, headers: {}, body: null });
    const planner = new BatchPlanner(
      bound.map((entry) => requestOf(action, entry)),
      null,
      { seen: catalogue, allowUnfiltered: false, context, access: undefined },
    );
    const isLong = body.isLong || bound.length > REQUESTS_PER_SLICE;
    const { writes, results } = await executeBatch(writing, planner, isLong, body, terms, context);
    return resultAnswer(action, bound, results, batchAnswer(writes, preferences, results));
  } catch (error) {
    throw atEntry(error, action, bound, context);
  } finally {
    body.release();
  }
}

function* argumentsIn(bytes: Uint8Array, contentType: string | null): Task<object> {
  if (bytes.length === 0) return {};
  const document = yield* readDocument(bytes, contentType);
  const value = document.kind === 'json' ? document.value : undefined;
  if (isObject(value)) return value;
  throw new ApiError('PGRST102', 'the body is not a JSON object', {
    nothingChanged: true,
    hint: 'Send an object with the arguments: {"name": value}.',
  });
}

function checkCall(call: Call, { name }: Action): void {
  if (call.method !== 'POST') {
    throw new ApiError('PGRST101', `Cannot use the ${call.method} method on the action ${name}`, {
      hint: 'An action changes data. Use POST.',
      headers: { allow: 'OPTIONS, POST' },
    });
  }
  if (call.query !== '') {
    throw new ApiError('PGRST100', 'an action takes no query parameters', { hint: 'Send the arguments in the body.' });
  }
  const { media } = call;
  if (media.format === 'json') return;
  throw new ApiError('PGRST107', `an action does not return ${media.contentType}`, {
    hint: 'Send Accept: application/json.',
  });
}

function requestOf(action: Action, { entry, body, bind }: BoundEntry): BoundRequest {
  const { method, collection, query, headers = {}, affects } = entry;
  // The first preference wins.
  const isReturned = entry.name !== undefined && [action.returns ?? []].flat().includes(entry.name);
  const preferences = [...(isReturned ? ['return=representation'] : []), ...Object.values(headers)];
  const sent = new Headers(preferences.length === 0 ? {} : { prefer: preferences.join(', ') });
  const path = `/${pathPart(collection.name)}${query === '' ? '' : `?${query}`}`;
  return { method, path, headers: sent, body, bind, ...(affects === undefined ? {} : { affects }) };
}

/** The stored rows of the entries that the action returns: a row, a list, or an object of both by entry. */
function resultAnswer(
  action: Action,
  bound: readonly BoundEntry[],
  results: readonly WriteResult[],
  { status, headers, rows }: Answer,
): Answer {
  const { returns } = action;
  const shared = rows === undefined ? { headers } : { headers, rows };
  if (returns === undefined) {
    const { 'content-type': _, ...others } = headers as Record<string, string>;
    return { ...shared, status: 204, headers: others, body: null };
  }
  const textOf = (name: string) => {
    const texts = [...results.keys()]
      .filter((at) => bound[at]!.entry.name === name)
      .map((at) => results[at]!.body ?? '[]');
    const list = texts.map((text) => text.slice(1, -1)).filter((text) => text !== '');
    return isOneRow(action, name) ? (list[0] ?? 'null') : `[${list.join(',')}]`;
  };
  const body =
    typeof returns === 'string'
      ? textOf(returns)
      : `{${returns.map((name) => `${JSON.stringify(name)}:${textOf(name)}`).join(',')}}`;
  return { ...shared, status, body };
}

/** Errors that depend on the stored rows, for which an entry has a message of its own. */
const OF_STORED_ROWS = ['CAT412', '23514'];

/** Names the entry and the row of the arguments. A role learns nothing about rows that it may not read. */
function atEntry(error: unknown, { name }: Action, bound: readonly BoundEntry[], { access }: RequestContext): unknown {
  if (!(error instanceof ApiError) || error.request === undefined) return error;
  const { entry, at, row } = bound[error.request]!;
  const { method, collection } = entry;
  const title = entry.name === undefined ? `${at + 1}` : `${entry.name} (${at + 1})`;
  const ofRow = row === undefined ? '' : `, row ${row + 1} of ${entry.each}`;
  const { permissions } = access ?? {};
  const seen = permissions?.catalogue.collections.get(collection.name);
  const isOpen = permissions === undefined;
  const showsDetails = isOpen || (seen !== undefined && isDeclaredLimit(error, seen));
  const isHidden = !isOpen && error.field !== undefined && seen?.byName.has(error.field) !== true;
  const more = {
    request: at,
    ...(isHidden ? { field: undefined } : {}),
    ...(row === undefined ? {} : { index: row }),
    details: `Entry ${title} of ${name}, ${method} ${collection.name}${ofRow}. ${showsDetails && error.details !== null ? error.details : 'Nothing was changed.'}`,
    ...(isOpen ? {} : { value: undefined, hint: undefined }),
  };
  if (isHidden && error.code === '23505') return DUPLICATE.with(more);
  return error.with(more, OF_STORED_ROWS.includes(error.code) ? entry.message : undefined);
}
