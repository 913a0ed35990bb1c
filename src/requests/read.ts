/** A read from request to answer: http → dialect → plan → engine → response, one call per stage. */
import { plansDenied } from '../collection/access/permission-errors.ts';
import { pageOf } from '../dialect/page.ts';
import { parsePrefer } from '../dialect/prefer.ts';
import { parseQuery } from '../dialect/query.ts';
import type { Encoding } from '../encode/encoding.ts';
import { type Engine, type MaybePromise, NEWEST } from '../engine/engine.ts';
import type { Answer } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import { asSingular, negotiate } from '../http/negotiate.ts';
import { readPosition } from '../http/position.ts';
import { withMaxRows } from '../plan/read/max-rows.ts';
import { planItem, planRead, planReadItem } from '../plan/read/read.ts';
import { WHOLE_ROW_JSON } from '../plan/read/whole-row.ts';
import type { ReadPlan } from '../plan/types.ts';
import { encodingOf, readWhole } from '../response/body.ts';
import { planAnswer, planFormat, planOptions } from '../response/plan.ts';
import { itemAnswer, type ListRead, listAnswer } from '../response/read.ts';
import { andThen, type RequestContext, trackWork } from '../response/request-context.ts';
import { positionOf } from './as-of.ts';

export type ReadSource = Pick<Engine, 'read' | 'log' | 'hasPositions'>;

/** `maxRows` limits each list; 0 means no limit. */
export function readList(
  engine: ReadSource,
  call: Call,
  context: RequestContext,
  maxRows: number,
): MaybePromise<Answer> {
  const { headers } = call.request;
  const media = negotiate(headers.get('accept'));
  const preferences = parsePrefer(headers.get('prefer'));
  const query = parseQuery(call.query);
  const page = pageOf(query, call.method === 'GET' ? headers.get('range') : null);
  context.done('parse');
  const plan = planRead(call.collection, query, page, preferences.count, context.access?.permissions);
  return readPlanned(engine, { call, media, query, preferences, plan: withMaxRows(plan, maxRows), context });
}

/** The last two stages of a list. */
export function readPlanned(engine: ReadSource, asked: ListRead): MaybePromise<Answer> {
  const { call, media, preferences, plan, context } = asked;
  context.setPlan(plan);
  const encoding = encodingOf(media, plan.columns);
  const read = (asOf?: number) => engine.read(plan, encoding, afterOf(engine, call, context), asOf);
  const found = preferences['as-of'] === undefined ? read() : andThen(positionOf(engine, plan, preferences), read);
  return andThen(trackWork(context, found), (result) => {
    context.done('engine');
    return listAnswer(asked, result);
  });
}

export function readItem(
  engine: ReadSource,
  call: Call,
  key: string,
  context: RequestContext,
  maxRows: number,
): MaybePromise<Answer> {
  const media = asSingular(negotiate(call.request.headers.get('accept')));
  const preferences = parsePrefer(call.request.headers.get('prefer'));
  const query = parseQuery(call.query);
  context.done('parse');
  const item = planItem(call.collection, key, query, context.access?.permissions);
  const plan = { ...item, shown: withMaxRows(item.shown, maxRows) };
  context.setPlan(plan.asked);
  const isWhole = item.shown.isWhole === true && media.format === 'json' && !media.stripNulls;
  const readAt = (asOf?: number) => {
    const read = (each: ReadPlan, as: Encoding, after: string | number | undefined) =>
      andThen(trackWork(context, engine.read(each, as, after, asOf)), readWhole);
    const readShown = () => read(plan.shown, encodingOf(media, plan.shown.columns), NEWEST);
    // Reads the whole row first: a version may be older than its answer, but never newer. It also applies the filters.
    return andThen(read(plan.whole, WHOLE_ROW_JSON, afterOf(engine, call, context)), (whole) =>
      andThen(isWhole || whole.returned === 0 ? whole : readShown(), (shown) => {
        context.done('engine');
        return itemAnswer({ call, media, preferences }, shown, whole);
      }),
    );
  };
  if (preferences['as-of'] === undefined) return readAt();
  return andThen(trackWork(context, positionOf(engine, plan.asked, preferences)), readAt);
}

function afterOf({ hasPositions }: ReadSource, { request }: Call, { changeCount }: RequestContext) {
  return hasPositions === true ? readPosition(request) : changeCount;
}

/** Returns the query plan instead of rows. */
export function explainRead(engine: Engine, call: Call, context: RequestContext, maxRows: number): Promise<Answer> {
  const { headers } = call.request;
  const query = parseQuery(call.query);
  const { count } = parsePrefer(headers.get('prefer'));
  const permissions = context.access?.permissions;
  const plan =
    call.target.kind === 'item'
      ? planReadItem(call.collection, call.target.key, query, permissions)
      : planRead(call.collection, query, pageOf(query, headers.get('range')), count, permissions);
  return explainPlan(engine, withMaxRows(plan, maxRows), call.request, context);
}

/** A plan reveals row counts, so only callers with every right get it. */
export async function explainPlan(
  engine: Engine,
  plan: ReadPlan,
  request: Request,
  { access }: RequestContext,
): Promise<Answer> {
  if (access?.permissions !== undefined) throw plansDenied();
  return planAnswer(request, await engine.explain?.(plan, planOptions(request), planFormat(request)));
}
