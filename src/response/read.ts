/**
 * Stage 5, response, for reads: rows become a status, headers and bytes.
 *
 * In: what was asked, the plan, the rows. Out: an `Answer`, which `toResponse` sends, or 304 in its place. Refuses: 404
 * for an item that is not there, 406 (PGRST116), 416 (PGRST103). Knows no SQL.
 */
import type { Row } from '../collection/value.ts';
import { versionOfText } from '../collection/version.ts';
import type { Preferences } from '../dialect/prefer.ts';
import type { Query } from '../dialect/tree.ts';
import { type Encoding, encodeRows } from '../encode/encoding.ts';
import type { ReadResult } from '../engine/engine.ts';
import { Refusal } from '../errors.ts';
import { type Call, working } from '../http/call.ts';
import { ALLOWED_ORIGIN, EXPOSED_HEADERS } from '../http/cors.ts';
import type { Media } from '../http/negotiate.ts';
import { MAX_ECHOED_LENGTH } from '../limits.ts';
import { notOne } from '../plan/terms.ts';
import type { ReadPlan } from '../plan/types.ts';
import type { Answer } from './answer.ts';
import { appliedHeader } from './applied.ts';
import { encodedOnce } from './body.ts';
import { itemTag, listTag } from './etag.ts';
import { linkHeader } from './links.ts';
import { contentRange, pageStatus } from './range.ts';

/** Which request headers an answer depends on. */
const VARY = 'Accept, Prefer, Range';

/** A list as it was asked for and planned. */
export interface ListRead {
  readonly call: Call;
  readonly media: Media;
  readonly query: Query;
  readonly preferences: Preferences;
  readonly plan: ReadPlan;
  readonly encoding: Encoding;
  /** Whether others may be answered between this answer and its sending. */
  readonly isLate: boolean;
}

export function listAnswer(read: ListRead, result: ReadResult): Answer {
  try {
    return answerList(read, result);
  } catch (error) {
    // Parts that nobody will read must not keep what they are read from.
    void streamOf(result)?.return?.();
    throw error;
  }
}

function answerList(read: ListRead, result: ReadResult): Answer {
  const { call, media, query, preferences, plan, encoding } = read;
  const { total } = result;
  const rows = rowsIn(result);
  if (media.singular && rows !== 1) throw notOne(rows);
  const applied = appliedHeader('read', preferences);
  const status = pageStatus(plan.offset, rows, total, plan.limit, applied);
  const range = contentRange(plan.offset, rows, total);
  // Written out: this object is made for every list, and spreading the constants costs more than all else here.
  const headers: Record<string, string> = {
    'access-control-allow-origin': ALLOWED_ORIGIN,
    'access-control-expose-headers': EXPOSED_HEADERS,
    'content-type': media.contentType,
    'content-range': range,
    vary: VARY,
  };
  if (call.url.length <= MAX_ECHOED_LENGTH) headers['content-location'] = call.url;
  const preferenceApplied = applied['preference-applied'];
  if (preferenceApplied !== undefined) headers['preference-applied'] = preferenceApplied;
  const links = linkHeader({ url: call.url, query, plan, returned: rows, result });
  if (links !== undefined) headers.link = links;
  const parts = streamOf(result);
  if (parts !== undefined) {
    const state = result.kind === 'parts' ? result.state : undefined;
    if (state !== undefined) headers.etag = listTag(`${state}${call.url}${media.contentType}`, range, media);
    return { status, headers, rows, body: streamBody(call, parts) };
  }
  const text = result.kind === 'rows' ? encodeRows(result.rows, encoding) : (result.parts as readonly [string])[0];
  const body = (read.isLate ? undefined : encodedOnce(text)) ?? text;
  headers.etag = listTag(body, range, media);
  return { status, headers, rows, body };
}

function streamOf(result: ReadResult): AsyncIterator<Uint8Array, undefined> | undefined {
  return result.kind === 'parts' && 'next' in result.parts ? result.parts : undefined;
}

export function rowsIn(result: ReadResult): number {
  return result.kind === 'rows' ? result.rows.length : result.returned;
}

/** Sent as it is read: no faster than the client takes it, and no further than the client stays. */
function streamBody(call: Call, parts: AsyncIterator<Uint8Array, undefined>): ReadableStream<Uint8Array> | null {
  const cancel = async () => {
    await parts.return?.();
  };
  if (call.method === 'HEAD') {
    void cancel();
    return null;
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await working(call, parts.next());
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel,
  });
}

/** `whole` is the product as stored, whatever of it the client wants to see: its version is the version of all. */
export function itemAnswer(
  call: Call,
  media: Media,
  encoding: Encoding,
  rows: readonly Row[],
  whole: Row | undefined,
): Answer {
  if (rows.length === 0 || whole === undefined) {
    const key = call.target.kind === 'item' ? call.target.key : '';
    throw new Refusal('CAT404', `there is no product ${key}`, { hint: 'List the products there are without the id.' });
  }
  const stored = JSON.stringify(whole);
  const isWhole = rows[0] === whole && encoding.format === 'json' && !encoding.stripNulls;
  const body = isWhole ? stored : encodeRows(rows, encoding);
  const headers = {
    'access-control-allow-origin': ALLOWED_ORIGIN,
    'access-control-expose-headers': EXPOSED_HEADERS,
    'content-type': media.contentType,
    vary: VARY,
    etag: itemTag(versionOfText(stored), body === stored ? '' : body),
  };
  return { status: 200, headers, rows: rows.length, body };
}
