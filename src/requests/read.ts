/** A read from request to answer: http → dialect → plan → engine → response, one call per stage. */
import { ApiError, onError } from '../base/errors.ts';
import { say } from '../base/sentence.ts';
import { plansDenied } from '../collection/access/permission-errors.ts';
import type { Collection } from '../collection/declaration.ts';
import type { MediaHandler } from '../collection/draft.ts';
import { builtIn } from '../collection/types/index.ts';
import type { Preferences } from '../dialect/prefer.ts';
import { pageOf } from '../dialect/query.ts';
import type { Query } from '../dialect/tree.ts';
import type { Encoding } from '../encode/encoding.ts';
import { type Engine, type MaybePromise, NEWEST } from '../engine/engine.ts';
import { notLogged } from '../engine/shared/change-log.ts';
import type { Answer } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import { acceptsFacets, asSingular, FACETS_MEDIA, handledMedia, type Media } from '../http/negotiate.ts';
import type { Rows } from '../http/rows.ts';
import { changingCollections } from '../plan/access/named-fields.ts';
import { atMoment } from '../plan/at-moment.ts';
import { checkAsOf } from '../plan/read/changes.ts';
import { withMaxRows } from '../plan/read/page.ts';
import { planItem, planRead, WHOLE_ROW_JSON } from '../plan/read/read.ts';
import type { ReadPlan } from '../plan/types.ts';
import { encodingOf, readWhole } from '../response/body.ts';
import { planAnswer, planFormat, planOptions } from '../response/plan.ts';
import { itemAnswer, type ListRead, listAnswer, withChosen } from '../response/read.ts';
import { andThen, type RequestContext, trackWork } from '../response/request-context.ts';

export type ReadSource = Pick<Engine, 'read' | 'log' | 'hasPositions' | 'explain'>;

export interface Reading {
  readonly engine: ReadSource;
  /** The maximum number of rows of a list; 0 means no limit. */
  readonly maxRows: number;
}

export function readRows(reading: Reading, { collection, key }: Rows, context: RequestContext): MaybePromise<Answer> {
  return key === undefined ? readList(reading, collection, context) : readItem(reading, collection, key, context);
}

export function readList(
  { engine, maxRows }: Reading,
  collection: Collection,
  context: RequestContext,
  /** The rows of an account list: rules of roles do not apply to it. */
  accounts?: { readonly within: Query | undefined; readonly select: Query['select'] | undefined },
): MaybePromise<Answer> {
  const { call } = context;
  const { preferences } = call;
  const hasFacets = acceptsFacets(call.accept);
  const asked = call.parseQuery(hasFacets);
  const select = accounts?.select;
  const query = select !== undefined && asked.select.every(({ kind }) => kind === 'all') ? { ...asked, select } : asked;
  const media = hasFacets ? FACETS_MEDIA : (handledBy(collection.draft.media, query, call) ?? call.media);
  const page = pageOf(query, call.range);
  context.done('parse');
  const permissions = accounts === undefined ? context.access?.permissions : undefined;
  const plan = planRead(collection, query, page, preferences.count, permissions, accounts);
  return readPlanned(engine, { media, query, preferences, plan: withMaxRows(plan, maxRows), context });
}

/** The media type of the database for these rows. An aggregate over the rows of a table needs all of its columns. */
export function handledBy(
  handlers: readonly MediaHandler[] | undefined,
  { select }: Pick<Query, 'select'>,
  { accept }: Call,
): Media | undefined {
  if (handlers === undefined) return undefined;
  const isWhole = select.every(({ kind }) => kind === 'all');
  return handledMedia(
    accept,
    handlers.filter(({ table }) => table === undefined || isWhole),
  );
}

/** The last two stages of a list. */
export function readPlanned(engine: ReadSource, asked: ListRead): MaybePromise<Answer> {
  const { media, preferences, plan, context } = asked;
  context.setPlan(plan);
  const encoding = encodingOf(media, plan.columns, context);
  const read = (asOf?: number) => engine.read(asOfMoment(plan, preferences), encoding, afterOf(engine, context), asOf);
  const found =
    preferences['as-of'] === undefined ? read() : andThen(positionOf(engine, plan, preferences, context), read);
  return andThen(trackWork(context, found), (result) => {
    context.done('transaction');
    return listAnswer(asked, result);
  });
}

function readItem(
  { engine, maxRows }: Reading,
  collection: Collection,
  key: string,
  context: RequestContext,
): MaybePromise<Answer> {
  const { call } = context;
  const media = asSingular(call.media);
  const { preferences } = call;
  const query = call.parseQuery();
  context.done('parse');
  const item = planItem(collection, key, query, context.access?.permissions);
  const shownPlan = withMaxRows(item.shown, maxRows);
  context.setPlan(item.asked);
  const isWhole = item.shown.isWhole === true && media.format === 'json' && !media.stripNulls;
  const readAt = (asOf?: number) => {
    const read = (each: ReadPlan, as: Encoding, after: string | number | undefined) =>
      andThen(trackWork(context, engine.read(asOfMoment(each, preferences), as, after, asOf)), readWhole);
    const readShown = () => read(shownPlan, encodingOf(media, shownPlan.columns, context), NEWEST);
    // Reads the whole row first: a version may be older than its answer, but never newer. It also applies the filters.
    return andThen(read(item.whole, WHOLE_ROW_JSON, afterOf(engine, context)), (whole) =>
      andThen(isWhole || whole.returned === 0 ? whole : readShown(), (shown) => {
        context.done('transaction');
        return withChosen(itemAnswer({ collection, key }, { media, preferences }, shown, whole), whole.chosen, context);
      }),
    );
  };
  if (preferences['as-of'] === undefined) return readAt();
  return andThen(trackWork(context, positionOf(engine, item.asked, preferences, context)), readAt);
}

function afterOf({ hasPositions }: ReadSource, { call, changeCount }: RequestContext) {
  return hasPositions === true ? call.position : changeCount;
}

/** Returns the query plan instead of rows. */
export function explainRead(
  { engine, maxRows }: Reading,
  { collection, key }: Rows,
  context: RequestContext,
): Promise<Answer> {
  const { call } = context;
  const query = call.parseQuery();
  const permissions = context.access?.permissions;
  const plan =
    key === undefined
      ? planRead(collection, query, pageOf(query, call.range), call.preferences.count, permissions)
      : planItem(collection, key, query, permissions).asked;
  return explainPlan(engine, withMaxRows(plan, maxRows), context);
}

/** A plan reveals row counts, so only callers with every right get it. */
export async function explainPlan(
  engine: ReadSource,
  plan: ReadPlan,
  { access, call }: RequestContext,
): Promise<Answer> {
  if (access?.permissions !== undefined) throw plansDenied();
  if (plan.search !== undefined) throw new ApiError('PGRST127', 'a search has no query plan');
  const { mediaType } = plan.source?.function.returns ?? {};
  const own = [mediaType, ...(plan.from.draft.media ?? []).map((each) => each.mediaType)];
  const explanation = await engine.explain?.(plan, planOptions(call), planFormat(call));
  return planAnswer(
    call,
    explanation,
    own.filter((each) => each !== undefined),
  );
}

const MOMENT = builtIn('timestamptz');

/** The position of `Prefer: as-of`; undefined for the present. Rejects a time before the log of a collection begins. */
function positionOf(
  engine: Pick<Engine, 'log'>,
  plan: ReadPlan,
  preferences: Preferences,
  { access }: RequestContext,
): MaybePromise<number | undefined> {
  const text = preferences['as-of'];
  if (text === undefined) return undefined;
  if (plan.search !== undefined) {
    const hint = 'Filter the earlier rows by other operators, such as ilike.';
    throw new ApiError('PGRST127', 'Prefer: as-of does not support search', { hint });
  }
  const { log } = engine;
  const time = readMoment(text);
  if (log === undefined) throw notLogged(plan.from);
  if (plan.log !== undefined) return log.positionAt(time);
  return andThen(log.oldest(changingCollections(plan)), (oldest) => {
    if (oldest === undefined) throw notLogged(plan.from);
    checkAsOf(plan, access?.permissions);
    if (time < oldest.at) throw beforeLog(text, oldest.at);
    return andThen(log.positionAt(time), (seq) => Math.max(seq, oldest.seq));
  });
}

function readMoment(text: string): string {
  const read = () => String(MOMENT.read(text));
  return onError(ApiError, read, (error) => {
    throw error.with({ hint: 'Prefer: as-of takes a time, such as 2026-11-17 or 2026-11-17T09:30:00Z.' });
  });
}

/** Rows of an earlier time are visible if they were then. The log is read as of now. */
function asOfMoment(plan: ReadPlan, preferences: Preferences): ReadPlan {
  const text = preferences['as-of'];
  if (text === undefined || plan.log !== undefined) return plan;
  return atMoment(plan, Math.min(Date.parse(readMoment(text)) || Number.POSITIVE_INFINITY, Date.now()));
}

function beforeLog(text: string, oldest: string): ApiError {
  return new ApiError('CAT410', say`the history does not reach back to ${text}`, {
    details: say`It begins at ${oldest}.`,
    hint: say`Use a time from ${oldest} on. --history-days sets how long changes are kept.`,
  });
}
