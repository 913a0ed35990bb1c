/** Answers: the content of successful ones, and one for every status of the error catalogue. */

import { ERRORS } from '../base/errors.ts';
import type { Collection } from '../collection/declaration.ts';
import type { Row } from '../collection/value.ts';
import { ANSWER_MEDIA, JSON_MEDIA, type Media } from '../http/negotiate.ts';
import { own, schemaRef } from './component.ts';
import type { Json, JsonObject } from './json.ts';
import type { RowShape } from './row-shape.ts';
import { csvOf, type Samples } from './samples.ts';

/** The statuses of the error catalogue with the codes of each. */
function codesByStatus(): ReadonlyMap<number, readonly string[]> {
  const codes = new Map<number, string[]>();
  for (const [code, { status }] of Object.entries(ERRORS)) codes.set(status, [...(codes.get(status) ?? []), code]);
  return new Map([...codes].sort(([one], [other]) => one - other));
}

/** The status for missing or invalid credentials, if there are roles. */
const UNAUTHORIZED = 401;

/** Errors of calls, if there are functions. */
const OF_CALLS = ['PGRST101', 'PGRST111', 'PGRST112', 'PGRST121', 'PGRST128', 'PGRST202', 'PGRST203', '25006'];

export function errorResponses(isByRole = false, hasRoutines = true): Record<string, JsonObject> {
  return Object.fromEntries(
    [...codesByStatus()]
      .filter(([status]) => isByRole || status !== UNAUTHORIZED)
      .map(([status, every]) => {
        const codes = every.filter((code) => hasRoutines || !OF_CALLS.includes(code));
        // An anonymous caller who lacks a right gets 401, because credentials may help.
        const all = status === UNAUTHORIZED ? [...codes, '42501'] : codes;
        return [`Error${status}`, errorResponse(all, ERROR_HEADERS[status] ?? [])];
      }),
  );
}

/** Headers of errors. */
const ERROR_HEADERS: Readonly<Record<number, readonly ResponseHeader[]>> = {
  405: ['Allow'],
  416: ['Content-Range', 'Preference-Applied'],
  429: ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
  503: ['Retry-After'],
  504: ['Retry-After'],
  507: ['Retry-After'],
};

function errorResponse(codes: readonly string[], headers: readonly ResponseHeader[]): JsonObject {
  const lines = codes.map((code) => `- \`${code}\`: ${meaningOf(code)}`);
  const [code = ''] = codes;
  return withHeaders(`Rejected:\n\n${lines.join('\n')}`, headers, {
    'application/json': {
      schema: { allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: codes } } }] },
      example: { code, message: meaningOf(code), details: null, hint: null },
    },
  });
}

/** An error of HEAD, which has no body. */
export function headError(status: number): JsonObject {
  return withHeaders('Rejected. GET returns the reason.', ERROR_HEADERS[status] ?? []);
}

function meaningOf(code: string): string {
  return ERRORS[code as keyof typeof ERRORS].meaning;
}

/** A list of rows in each media type of the shape. */
export function rowsContent(collection: Collection, shape: RowShape): JsonObject {
  return contentOf(collection, ANSWER_MEDIA, shape, ({ singular }) => singular);
}

/** One row: an object in each JSON media type of the shape. */
export function rowContent(collection: Collection, shape: RowShape): JsonObject {
  const media = ANSWER_MEDIA.filter(({ format, singular, stripNulls }) => singular || format !== 'json' || !stripNulls);
  return contentOf(collection, media, shape, ({ format }) => format === 'json');
}

function contentOf(
  collection: Collection,
  all: readonly Media[],
  { isFree }: RowShape,
  isObject: (media: Media) => boolean,
): JsonObject {
  const row = schemaRef(isFree ? 'SelectedRow' : own(collection, 'Row'));
  const media = isFree ? all : all.filter((each) => each === JSON_MEDIA);
  return Object.fromEntries(
    media.map((each) => {
      const rows = isObject(each) ? row : { type: 'array', items: row };
      return [typeOf(each), { schema: each.format === 'json' ? rows : { type: 'string' } }];
    }),
  );
}

/** Adds an example of whole rows to the JSON and the CSV of an answer. */
export function withExample(content: JsonObject, collection: Collection, rows: Samples | Row): JsonObject {
  const list = [rows].flat() as unknown as Samples;
  const examples: JsonObject = { 'application/json': rows as Json, 'text/csv': csvOf(collection, list) };
  return Object.fromEntries(
    Object.entries(content).map(([type, media]) => [
      type,
      examples[type] === undefined ? media : { ...(media as JsonObject), example: examples[type] },
    ]),
  );
}

function typeOf({ contentType }: Media): string {
  return contentType.replace(/; charset=.*$/, '');
}

const HEADERS = {
  'Content-Range': '`first-last/total`; the total is `*` without `Prefer: count`.',
  ETag: 'The version of the content, for If-Match and If-None-Match.',
  Location: 'The URL of the new row, or of the redirect.',
  'Content-Location': 'The URL of the content.',
  Link: 'The first, previous, next and last page (RFC 8288).',
  'Preference-Applied': 'The preferences that the service applied.',
  'Idempotency-Replayed':
    '`true` if this repeats the answer to an earlier request with the same Idempotency-Key. Rows that were too long to store are left out: then Preference-Applied has `return=headers-only`.',
  'Catalogue-Missing-Rows': 'With `Prefer: missing-rows=ignore`, how many rows of the list do not exist.',
  Allow: 'The methods of this path.',
  'Retry-After': 'Seconds to wait before a retry.',
  'RateLimit-Limit': 'Requests per period of the rate, and the burst size.',
  'RateLimit-Remaining': 'Requests that the client may send now.',
  'RateLimit-Reset': 'Seconds until the client may send the full burst again.',
} as const;

export type ResponseHeader = keyof typeof HEADERS;

export function headerComponents(): Record<string, JsonObject> {
  return Object.fromEntries(
    Object.entries(HEADERS).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );
}

export function withHeaders(description: string, names: readonly ResponseHeader[], content?: JsonObject): JsonObject {
  return {
    description,
    ...(names.length === 0
      ? {}
      : { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) }),
    ...(content === undefined ? {} : { content }),
  };
}
