/**
 * Stage 5, response, for reads: rows become a status, headers and bytes.
 *
 * In: what was asked, the plan, the rows. Out: a `Response`. Refuses: 304 by condition, 404 for an item that is not
 * there, 406 (PGRST116), 416 (PGRST103). Knows no SQL.
 */
import type { Row } from '../collection/value.ts';
import { versionOfText } from '../collection/version.ts';
import type { Preferences } from '../dialect/prefer.ts';
import type { Query } from '../dialect/tree.ts';
import type { Encoding } from '../encode/encoding.ts';
import type { ReadResult } from '../engine/engine.ts';
import { Refusal } from '../errors.ts';
import type { Call } from '../http/call.ts';
import { CORS_HEADERS } from '../http/cors.ts';
import type { Media } from '../http/negotiate.ts';
import { notOne } from '../plan/terms.ts';
import type { ReadPlan } from '../plan/types.ts';
import { appliedHeader } from './applied.ts';
import { renderRows } from './body.ts';
import { itemTag, listTag, noneMatches } from './etag.ts';
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
}

export function listResponse(
  { call, media, query, preferences, plan, encoding }: ListRead,
  result: ReadResult,
): Response {
  const { total } = result;
  const returned = rowsIn(result);
  const applied = appliedHeader('read', preferences);
  const status = pageStatus(plan.offset, returned, total, plan.limit, applied);
  const range = contentRange(plan.offset, returned, total);
  const headers: Record<string, string> = {
    ...CORS_HEADERS,
    'content-type': media.contentType,
    'content-range': range,
    'content-location': call.url,
    vary: VARY,
    ...applied,
  };
  const lastRow = result.kind === 'rows' ? result.rows.at(-1) : undefined;
  const links = linkHeader({ url: call.url, query, plan, returned, total, lastRow });
  if (links !== undefined) headers.link = links;
  if (result.kind === 'parts' && !Array.isArray(result.parts)) {
    return streamResponse(call, status, headers, result.parts as AsyncIterator<Uint8Array, undefined>);
  }
  const body = listBody(result, encoding, media.singular);
  return readResponse(call, status, body, listTag(body, range), headers);
}

export function rowsIn(result: ReadResult): number {
  return result.kind === 'rows' ? result.rows.length : result.returned;
}

function listBody(result: ReadResult, encoding: Encoding, singular: boolean): string {
  if (result.kind === 'rows') return renderRows(result.rows, encoding, singular);
  const [text] = result.parts as readonly [string];
  if (!singular || encoding.format !== 'json') return text;
  if (result.returned !== 1) throw notOne(result.returned);
  return text.slice(1, -1);
}

/** Sent as it is read: no faster than the client takes it, and no further than the client stays. */
function streamResponse(
  call: Call,
  status: number,
  headers: Record<string, string>,
  parts: AsyncIterator<Uint8Array, undefined>,
): Response {
  const cancel = async () => {
    await parts.return?.();
  };
  if (call.method === 'HEAD') {
    void cancel();
    return new Response(null, { status, headers });
  }
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel,
  });
  return new Response(stream, { status, headers });
}

/** `whole` is the product as stored, whatever of it the client wants to see: its version is the version of all. */
export function itemResponse(
  call: Call,
  media: Media,
  encoding: Encoding,
  rows: readonly Row[],
  whole: Row | undefined,
): Response {
  if (rows.length === 0 || whole === undefined) {
    const key = call.target.kind === 'item' ? call.target.key : '';
    throw new Refusal('CAT404', `there is no product ${key}`, { hint: 'List the products there are without the id.' });
  }
  const body = renderRows(rows, encoding, true);
  const stored = JSON.stringify(whole);
  const tag = itemTag(versionOfText(stored), body === stored ? '' : body);
  return readResponse(call, 200, body, tag, {
    ...CORS_HEADERS,
    'content-type': media.contentType,
    'content-location': call.url,
    vary: VARY,
  });
}

function readResponse(
  call: Call,
  status: number,
  body: string,
  tag: string,
  headers: Record<string, string>,
): Response {
  headers.etag = tag;
  const condition = call.request.headers.get('if-none-match');
  if (condition !== null && noneMatches(condition, tag)) {
    const { 'content-type': _, ...rest } = headers;
    return new Response(null, { status: 304, headers: rest });
  }
  return new Response(call.method === 'HEAD' ? null : body, { status, headers });
}
