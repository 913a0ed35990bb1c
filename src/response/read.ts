/**
 * Stage 5, response, for reads: turns rows into a status, headers and a body.
 *
 * In: the request, its plan, the result of the engine.
 * Out: an `Answer`. `toResponse` sends it, or 304 if the client already has it.
 * Guarantees: the headers describe the body: Content-Range, ETag, Link, Preference-Applied. The stage knows no SQL.
 * Throws: 404 for a row that does not exist, 406 (PGRST116), 416 (PGRST103).
 */
import { ApiError } from '../base/errors.ts';
import { MAX_ECHOED_LENGTH } from '../base/limits/http.ts';
import { memoizeText } from '../base/memo.ts';
import type { DatabaseFunction, FunctionResult } from '../collection/declaration.ts';
import { servedName } from '../collection/files.ts';
import { versionOfText } from '../collection/version.ts';
import type { Preferences } from '../dialect/prefer.ts';
import type { Query } from '../dialect/tree.ts';
import type { Encoding } from '../encode/encoding.ts';
import { checkSheetRows } from '../encode/workbook.ts';
import type { ChosenAnswer, ReadResult } from '../engine/engine.ts';
import { type Answer, streamOf } from '../http/answer.ts';
import { CORS_HEADERS } from '../http/edge/origins.ts';
import { FORWARDED_PREFIX } from '../http/edge/prefix.ts';
import { contentTypeOf, type Media } from '../http/negotiate.ts';
import type { Rows } from '../http/rows.ts';
import { isTimed } from '../plan/at-moment.ts';
import { notSingular } from '../plan/resolve.ts';
import type { ReadPlan } from '../plan/types.ts';
import { encodingOf, type WholeResult } from './body.ts';
import { contentRange, itemTag, listTag, pageStatus, preferenceApplied } from './headers.ts';
import { linkHeader } from './links.ts';
import { type RequestContext, trackWork } from './request-context.ts';

/** The headers of every read with this media type. */
const sharedHeaders = memoizeText((contentType) => ({
  contentType,
  all: new Headers({
    ...CORS_HEADERS,
    // Caches may store the response, but must revalidate it (RFC 9111, 5.2.2.4).
    'cache-control': 'no-cache',
    // The request headers that a response depends on.
    vary: `Accept, Accept-Encoding, Prefer, Range, ${FORWARDED_PREFIX}`,
    'content-type': contentType,
  }),
}));

/** A list request with its plan. */
export interface ListRead {
  readonly media: Media;
  readonly query: Query;
  readonly preferences: Preferences;
  readonly plan: ReadPlan;
  readonly context: RequestContext;
  readonly hasOwnLanguage?: boolean;
}

export function listAnswer(read: ListRead, result: ReadResult): Answer {
  try {
    return withChosen(answerList(read, result), result.chosen, read.context);
  } catch (error) {
    // Releases the source of a stream that nobody will read.
    if (typeof result.body !== 'string') void result.body.return?.();
    throw error;
  }
}

/** The answer with the status and headers that the database sets. */
export function withChosen(answer: Answer, chosen: ChosenAnswer | undefined, context: RequestContext): Answer {
  if (chosen === undefined) return answer;
  context.cookies = chosen.cookies;
  return { ...answer, status: chosen.status ?? answer.status, headers: { ...answer.headers, ...chosen.headers } };
}

function answerList(read: ListRead, result: ReadResult): Answer {
  const { media, query, preferences, plan, hasOwnLanguage } = read;
  const { call, access } = read.context;
  const { total, returned, end, changeTag, summary } = result;
  const body = summary === undefined ? result.body : withSummary(result.body, summary);
  if (media.singular && returned !== 1) throw notSingular(returned);
  if (media.format === 'xlsx') checkSheetRows(returned);
  const applied = preferenceApplied('read', preferences);
  const status = pageStatus(plan.offset, returned, total, plan.limit, applied);
  const range = contentRange(plan.offset, returned, total);
  const shared = sharedHeaders(media.contentType);
  const headers: Record<string, string> = { ...applied, 'content-range': range };
  // The arguments of a POST are not in its URL.
  const hasUrl = call.method !== 'POST';
  if (hasUrl && call.url.length <= MAX_ECHOED_LENGTH) headers['content-location'] = withSortedQuery(call.url);
  const links = hasUrl ? linkHeader({ url: call.url, query, hasOwnLanguage, plan, returned, total, end }) : undefined;
  if (links !== undefined) headers.link = links;
  if (typeof body !== 'string') {
    // The tag covers all rows, including rows that the caller may not read.
    if (changeTag !== undefined && access?.permissions === undefined && !isTimed(plan))
      headers.etag = listTag(`${changeTag}${call.url}${media.contentType}${call.languages?.shown ?? ''}`, range, media);
    const { context } = read;
    const stream = streamOf(() => trackWork(context, body.next()), {
      cancel: () => body.return?.(),
      onError: (error) => context.onCut?.(context, error),
    });
    return { status, headers, shared, rows: returned, body: stream };
  }
  headers.etag = listTag(body, range, media);
  const isBinary = media.handler?.isBinary === true;
  return { status, headers, shared, rows: returned, body: isBinary ? Buffer.from(body, 'hex') : body };
}

/** The same request in one spelling: its parameters by name, as in PostgREST. */
function withSortedQuery(url: string): string {
  const start = url.indexOf('?') + 1;
  if (start === 0 || isSorted(url, start)) return url;
  const parameters = url.slice(start).split('&');
  const sorted = parameters.toSorted((one, other) =>
    nameOf(one) < nameOf(other) ? -1 : nameOf(one) > nameOf(other) ? 1 : 0,
  );
  return `${url.slice(0, start)}${sorted.join('&')}`;
}

function isSorted(url: string, start: number): boolean {
  let last = '';
  for (let at = start, end = 0; end !== -1; at = end + 1) {
    end = url.indexOf('&', at);
    const name = nameOf(url.slice(at, end === -1 ? url.length : end));
    if (name < last) return false;
    last = name;
  }
  return true;
}

function nameOf(parameter: string): string {
  return parameter.slice(0, parameter.indexOf('='));
}

/** Rows, their number and facets as one object. `summary` is the text of an object with the last two. */
function withSummary(rows: ReadResult['body'], summary: string): ReadResult['body'] {
  const [start, end] = ['{"rows":', `,${summary.slice(1)}`];
  return typeof rows === 'string' ? `${start}${rows}${end}` : surrounded(start, rows, end);
}

function surrounded(start: string, parts: AsyncIterator<Uint8Array, undefined>, end: string): typeof parts {
  const encoder = new TextEncoder();
  const all = (async function* () {
    yield encoder.encode(start);
    for (let part = await parts.next(); part.done !== true; part = await parts.next()) yield part.value;
    yield encoder.encode(end);
    return undefined;
  })();
  return {
    next: () => all.next(),
    // Also before its first part, when the generator would not release them.
    return: async () => {
      await parts.return?.();
      return all.return(undefined);
    },
  };
}

/** `whole` is the stored row, from which the version is computed, whatever the client selects. */
export function itemAnswer(
  { collection, key = '' }: Rows,
  { media, preferences }: Pick<ListRead, 'media' | 'preferences'>,
  shown: WholeResult,
  whole: WholeResult,
): Answer {
  if (shown.returned === 0 || whole.returned === 0) {
    const name = servedName(collection.name);
    throw new ApiError('CAT404', `row ${key} does not exist in ${name}`, { hint: `List the rows: /${name}` });
  }
  const stored = whole.body.slice(1, -1);
  const body = shown === whole ? stored : shown.body;
  const headers = {
    ...preferenceApplied('item', preferences),
    etag: itemTag(versionOfText(stored), body === stored ? '' : body),
  };
  return { status: 200, headers, shared: sharedHeaders(media.contentType), rows: shown.returned, body };
}

export function callEncoding(
  { returns }: DatabaseFunction,
  media: Media,
  { columns }: ReadPlan,
  context: RequestContext,
): Encoding {
  const encoding = encodingOf(media, columns, context);
  if (encoding.format !== 'json' || returns === undefined) return encoding;
  const bare = returns.isValue && columns.length === 1;
  return { ...encoding, bare, singular: !returns.many || encoding.singular === true };
}

/** `mediaType`: the value is the body. */
export function callAnswer(
  { returns }: DatabaseFunction,
  read: ListRead,
  result: ReadResult,
  mediaType: string | undefined,
): Answer {
  const { chosen } = result;
  const answer =
    returns === undefined
      ? nothing(read)
      : mediaType === undefined
        ? rows(returns.many, read, result)
        : bareBody(mediaType, returns, read, String(result.body));
  return withChosen(answer, chosen, read.context);
}

function nothing({ preferences }: ListRead): Answer {
  return { status: 204, headers: { ...CORS_HEADERS, ...preferenceApplied('read', preferences) }, body: null };
}

/** A single result that a filter excludes is null. */
function rows(many: boolean, read: ListRead, result: ReadResult): Answer {
  if (many || read.media.format !== 'json') return listAnswer(read, result);
  return listAnswer(
    { ...read, media: { ...read.media, singular: false } },
    { ...result, body: result.returned === 0 ? 'null' : result.body },
  );
}

/** A text, the bytes of a bytea, or JSON. */
function bareBody(mediaType: string, { collection }: FunctionResult, { preferences }: ListRead, json: string): Answer {
  const value: unknown = JSON.parse(json === '' ? 'null' : json);
  const isBytes = collection.fields[0]!.type.title === 'bytea';
  const body =
    typeof value !== 'string' ? (value === null ? '' : json) : isBytes ? Buffer.from(value.slice(2), 'hex') : value;
  return {
    status: 200,
    headers: {
      ...CORS_HEADERS,
      ...preferenceApplied('read', preferences),
      'content-type': contentTypeOf(mediaType),
      vary: 'Accept',
    },
    body,
    rows: 1,
  };
}
