/**
 * Stage 5, response, for writes: turns the result of a write into a status, headers and, if requested, rows.
 *
 * In: the request, its plan, the result of the engine.
 * Out: an `Answer`.
 * Guarantees: the answer reports what was committed.
 * Throws: nothing, since the write is done. Earlier stages throw before the commit.
 */
import { memoize } from '../base/memo.ts';
import { pathPart } from '../base/net/query-string.ts';
import type { Collection } from '../collection/declaration.ts';
import { servedName } from '../collection/files.ts';
import { versionOfText } from '../collection/version.ts';
import type { Preferences } from '../dialect/prefer.ts';
import { printName } from '../dialect/print.ts';
import type { Write, WriteResult } from '../engine/engine.ts';
import type { Answer, SharedHeaders } from '../http/answer.ts';
import { POSITION_HEADER } from '../http/call.ts';
import { CORS_HEADERS } from '../http/edge/origins.ts';
import { JSON_MEDIA, type Media } from '../http/negotiate.ts';
import type { WriteMethod } from '../plan/write/write.ts';
import { type Action, contentRange, itemTag, preferenceApplied } from './headers.ts';

type WriteAction = Exclude<Action, 'read'>;

const ACTIONS: Readonly<Record<WriteMethod, WriteAction>> = {
  POST: 'insert',
  PUT: 'replace',
  PATCH: 'update',
  DELETE: 'delete',
};

/** A write request with its plan. */
export interface PlannedWrite extends Write {
  readonly collection: Collection;
  readonly prefix: string;
  readonly method: WriteMethod;
  readonly media: Media;
  readonly preferences: Preferences;
}

/** The headers of every write. */
const shared: SharedHeaders = { all: new Headers(CORS_HEADERS) };

const locationParts = memoize(({ name, key }: Collection) => ({
  path: pathPart(servedName(name)),
  names: key.map((field) => pathPart(printName(field.name))),
}));

export function writeAnswer(asked: PlannedWrite, result: WriteResult): Answer {
  const { collection, prefix, media, preferences, plan } = asked;
  const action = ACTIONS[asked.method];
  const isOmitted = result.isBodyOmitted === true;
  const applied = appliedBy(asked, isOmitted);
  const headers: Record<string, string> = { ...preferenceApplied(action, applied) };
  const total = preferences.count === undefined ? undefined : result.affected;
  const shown = result.shown ?? result.affected;
  if (action === 'update') headers['content-range'] = contentRange(0, shown, total);
  else if (action !== 'replace') headers['content-range'] = contentRange(0, 0, total);
  const readsKey = collection.view === undefined || collection.view.rights.includes('read');
  const hasKey = collection.key.length > 0;
  if (action === 'insert' && result.key !== undefined && readsKey && hasKey) {
    const { path, names } = locationParts(collection);
    const filters = names.map((name, index) => {
      const value = result.key![index] ?? null;
      return `${name}=${value === null ? 'is.null' : `eq.${pathPart(value)}`}`;
    });
    headers.location = `${prefix}/${path}?${filters.join('&')}`;
  }
  if (result.missing !== undefined) headers['catalogue-missing-rows'] = String(result.missing);
  if (result.position !== undefined) headers[POSITION_HEADER] = result.position;
  if (result.replayed === true) headers['idempotency-replayed'] = 'true';
  if (isOmitted) return { status: statusOf(action, true, preferences, result), headers, shared, body: null };
  if (result.body === undefined || plan.returning === undefined) {
    return { status: statusOf(action, false, preferences, result), headers, shared, rows: result.affected, body: null };
  }
  headers['content-type'] = media.contentType;
  const isWhole = plan.returning.isWhole === true && media.format === 'json' && !media.stripNulls;
  const { body } = result;
  if (isWhole && hasKey && result.affected === 1) {
    headers.etag = itemTag(versionOfText(media.singular ? body : body.slice(1, -1)));
  }
  return { status: statusOf(action, true, preferences, result), headers, shared, rows: result.affected, body };
}

/** Only a list of changes can have missing rows, and only unique fields have conflicts to resolve. */
function appliedBy({ preferences, plan }: PlannedWrite, isOmitted: boolean): Preferences {
  const isUnresolved = preferences.resolution !== undefined && plan.kind === 'insert' && plan.conflict === 'refuse';
  const isPlain = plan.kind === 'update-each' || preferences['missing-rows'] === undefined;
  if (!isOmitted && isPlain && !isUnresolved) return preferences;
  const { 'missing-rows': missingRows, resolution, ...rest } = preferences;
  return {
    ...rest,
    ...(resolution === undefined || isUnresolved ? {} : { resolution }),
    ...(plan.kind === 'update-each' && missingRows !== undefined ? { 'missing-rows': missingRows } : {}),
    ...(isOmitted ? { return: 'headers-only' } : {}),
  };
}

function statusOf(action: WriteAction, hasBody: boolean, preferences: Preferences, result: WriteResult): number {
  // A merge that affected only existing rows created nothing.
  if (action === 'insert') return preferences.resolution === 'merge-duplicates' && result.inserted === 0 ? 200 : 201;
  if (!hasBody) return 204;
  return action === 'replace' && result.inserted > 0 ? 201 : 200;
}

/** Headers that concern the batch as a whole. */
const COMMON = [POSITION_HEADER, 'idempotency-replayed'];

export function batchAnswer(
  writes: readonly PlannedWrite[],
  { tx }: Preferences,
  results: readonly WriteResult[],
): Answer {
  const answers = writes.map((write, index) => writeAnswer(write, shownResult(write, results[index]!)));
  const common = Object.entries(answers[0]!.headers).filter(([name]) => COMMON.includes(name));
  return {
    status: 200,
    headers: {
      ...CORS_HEADERS,
      'content-type': JSON_MEDIA.contentType,
      ...(tx === undefined ? {} : { 'preference-applied': `tx=${tx}` }),
      ...Object.fromEntries(common),
    },
    rows: results.reduce((sum, { affected }) => sum + affected, 0),
    body: `[${answers.map((answer, index) => printAnswer(answer, writes[index]!.media)).join(',')}]`,
  };
}

/** Without rows that only later requests of the batch need. */
function shownResult({ preferences }: PlannedWrite, result: WriteResult): WriteResult {
  if (preferences.return === 'representation') return result;
  const { body: _, shown: __, isBodyOmitted: ___, ...rest } = result;
  return rest;
}

function printAnswer({ status, headers, body }: Answer, { format }: Media): string {
  const own = Object.entries(headers).filter(([name]) => !COMMON.includes(name));
  const text = format === 'json' ? String(body) : JSON.stringify(body);
  return `{"status":${status},"headers":${JSON.stringify(Object.fromEntries(own))},"body":${text}}`;
}
