/**
 * Stage 5, response, for writes: what was written becomes a status, headers and, where asked for, the rows.
 *
 * In: what was asked, the plan, the result. Out: a `Response`. Refuses nothing: the write is done, and whatever could
 * have been refused was refused before its commit.
 */
import type { Collection } from '../collection/declaration.ts';
import { versionOfText } from '../collection/version.ts';
import type { Preferences } from '../dialect/prefer.ts';
import { encodeRows } from '../encode/encoding.ts';
import type { WriteResult } from '../engine/engine.ts';
import { CORS_HEADERS } from '../http/cors.ts';
import type { Media } from '../http/negotiate.ts';
import { wholeRow } from '../plan/shape.ts';
import type { WritePlan } from '../plan/types.ts';
import { type Action, appliedHeader } from './applied.ts';
import { encodingOf } from './body.ts';
import { itemTag } from './etag.ts';
import { contentRange } from './range.ts';

type WriteAction = Exclude<Action, 'read'>;

export function writeResponse(
  collection: Collection,
  action: WriteAction,
  media: Media,
  preferences: Preferences,
  plan: WritePlan,
  result: WriteResult,
): Response {
  const headers: Record<string, string> = { ...CORS_HEADERS, ...appliedHeader(action, preferences) };
  const total = preferences.count === undefined ? undefined : result.affected;
  if (action === 'update') headers['content-range'] = contentRange(0, result.affected, total);
  else if (action !== 'replace') headers['content-range'] = contentRange(0, 0, total);
  if (action === 'insert' && result.key !== undefined) {
    headers.location = `/${collection.name}?${collection.key.name}=eq.${result.key}`;
  }
  if (result.replayed === true) headers['idempotency-replayed'] = 'true';
  const { rows } = result;
  if (rows === undefined || plan.returning === undefined) {
    return new Response(null, { status: statusWithoutBody(action, preferences, result), headers });
  }
  headers['content-type'] = media.contentType;
  if (rows.length === 1 && plan.returning.columns === wholeRow(collection)) {
    headers.etag = itemTag(versionOfText(JSON.stringify(rows[0])));
  }
  return new Response(encodeRows(rows, encodingOf(media, plan.returning.columns)), {
    status: statusWithBody(action, preferences, result),
    headers,
  });
}

function statusWithoutBody(action: WriteAction, preferences: Preferences, result: WriteResult): number {
  return action === 'insert' ? insertStatus(preferences, result) : 204;
}

function statusWithBody(action: WriteAction, preferences: Preferences, result: WriteResult): number {
  if (action === 'insert') return insertStatus(preferences, result);
  return action === 'replace' && result.inserted > 0 ? 201 : 200;
}

/** A merge that met only products that were there has created nothing. */
function insertStatus(preferences: Preferences, result: WriteResult): 200 | 201 {
  return preferences.resolution === 'merge-duplicates' && result.inserted === 0 ? 200 : 201;
}
