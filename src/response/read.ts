/**
 * Stage 5, response, for reads: rows become a status, headers and bytes.
 *
 * In: what was asked, the plan, the rows. Out: a `Response`. Refuses: 304 by condition, 404 for an item that is not
 * there, 406 (PGRST116), 416 (PGRST103). Knows no SQL.
 */
import type { Row } from '../collection/value.ts';
import { versionOfText } from '../collection/version.ts';
import type { Preferences } from '../dialect/prefer.ts';
import type { ReadResult } from '../engine/engine.ts';
import { Refusal } from '../errors.ts';
import type { Call } from '../http/call.ts';
import { CORS_HEADERS } from '../http/cors.ts';
import type { Media } from '../http/negotiate.ts';
import type { ReadPlan } from '../plan/types.ts';
import { appliedHeader } from './applied.ts';
import { itemTag, listTag, noneMatches } from './etag.ts';
import { contentRange, pageStatus } from './range.ts';
import { renderRows } from './rows.ts';

/** Which request headers an answer depends on. */
const VARY = 'Accept, Prefer, Range';

export function listResponse(
  call: Call,
  media: Media,
  preferences: Preferences,
  plan: ReadPlan,
  result: ReadResult,
): Response {
  const { rows, total } = result;
  const applied = appliedHeader('read', preferences);
  const status = pageStatus(plan.offset, rows.length, total, plan.limit, applied);
  const body = renderRows(rows, plan.columns, media);
  const range = contentRange(plan.offset, rows.length, total);
  return readResponse(call, status, body, listTag(body, range), {
    ...CORS_HEADERS,
    'content-type': media.contentType,
    'content-range': range,
    'content-location': call.url,
    vary: VARY,
    ...applied,
  });
}

/** `whole` is the product as stored, whatever of it the client wants to see: its version is the version of all. */
export function itemResponse(
  call: Call,
  media: Media,
  plan: ReadPlan,
  rows: readonly Row[],
  whole: Row | undefined,
): Response {
  if (rows.length === 0 || whole === undefined) {
    const key = call.target.kind === 'item' ? call.target.key : '';
    throw new Refusal('CAT404', `there is no product ${key}`, { hint: 'List the products there are without the id.' });
  }
  const body = renderRows(rows, plan.columns, media.format === 'json' ? { ...media, singular: true } : media);
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
