/** Answers: what each carries when it is good, and one for every status of the error catalogue. */
import type { Collection } from '../collection/declaration.ts';
import { encodeRows } from '../encode/encoding.ts';
import { ERRORS } from '../errors.ts';
import { ANSWER_MEDIA, type Media } from '../http/negotiate.ts';
import { own, schemaRef } from './component.ts';
import type { Json, JsonObject } from './json.ts';
import { csvOf, type Samples } from './samples.ts';

/** The statuses of the error catalogue with the codes of each. */
export function codesByStatus(): ReadonlyMap<number, readonly string[]> {
  const codes = new Map<number, string[]>();
  for (const [code, { status }] of Object.entries(ERRORS)) codes.set(status, [...(codes.get(status) ?? []), code]);
  return new Map([...codes].sort(([one], [other]) => one - other));
}

/** Whoever sends no credentials, or such as are not good, meets it: where there are roles. */
const UNAUTHORIZED = 401;

export function errorResponses(isByRole = false): Record<string, JsonObject> {
  return Object.fromEntries(
    [...codesByStatus()]
      .filter(([status]) => isByRole || status !== UNAUTHORIZED)
      .map(([status, codes]) => {
        // What other callers may not do at all, with credentials some may.
        const told = status === UNAUTHORIZED ? [...codes, '42501'] : codes;
        return [`Error${status}`, errorResponse(told, EXPLAINING[status] ?? [])];
      }),
  );
}

/** Headers with which a refusal says more. */
const EXPLAINING: Readonly<Record<number, readonly ResponseHeader[]>> = {
  405: ['Allow'],
  416: ['Content-Range', 'Preference-Applied'],
  429: ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
  503: ['Retry-After'],
  504: ['Retry-After'],
  507: ['Retry-After'],
};

function errorResponse(codes: readonly string[], headers: readonly ResponseHeader[]): JsonObject {
  const lines = codes.map((code) => `- \`${code}\`: ${meaningOf(code)}`);
  const examples = codes.map((code) => [
    code,
    { summary: meaningOf(code), value: { code, message: meaningOf(code), details: null, hint: null } },
  ]);
  return withHeaders(`Refused:\n\n${lines.join('\n')}`, headers, {
    'application/json': {
      schema: { allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: codes } } }] },
      examples: Object.fromEntries(examples),
    },
  });
}

/** A refusal of HEAD, which has no body to say why. */
export function bodilessRefusal(status: number): JsonObject {
  return withHeaders('Refused; GET says why.', EXPLAINING[status] ?? []);
}

function meaningOf(code: string): string {
  return ERRORS[code as keyof typeof ERRORS].meaning;
}

/** Whole, or of the shape that the request chose. */
function rowOf(collection: Collection): JsonObject {
  return { anyOf: [schemaRef(own(collection, 'Row')), schemaRef('SelectedRow')] };
}

/** Rows in each of the media types that a client may accept. */
export function rowsContent(collection: Collection, samples: Samples): JsonObject {
  return contentOf(collection, ANSWER_MEDIA, samples, ({ singular }) => singular);
}

/** One row: as an object in JSON, whichever of its media types is asked for. */
export function rowContent(collection: Collection, [sample]: Samples): JsonObject {
  const media = ANSWER_MEDIA.filter(({ format, singular, stripNulls }) => singular || format !== 'json' || !stripNulls);
  return contentOf(collection, media, [sample], ({ format }) => format === 'json');
}

function contentOf(
  collection: Collection,
  all: readonly Media[],
  samples: Samples,
  isObject: (media: Media) => boolean,
): JsonObject {
  const row = rowOf(collection);
  const list = { type: 'array', items: row };
  return Object.fromEntries(
    all.map((media) => {
      const encoding = { ...media, singular: false, columns: Object.keys(samples[0]) };
      const text = media.format === 'csv' ? csvOf(collection, samples) : encodeRows(samples, encoding, 'plain');
      if (media.format !== 'json') return [typeOf(media), { schema: { type: 'string' }, example: text }];
      const rows = JSON.parse(text) as readonly Json[];
      return [typeOf(media), isObject(media) ? { schema: row, example: rows[0]! } : { schema: list, example: rows }];
    }),
  );
}

function typeOf({ contentType }: Media): string {
  return contentType.replace(/; charset=.*$/, '');
}

const HEADERS = {
  'Content-Range': '`first-last/total`; the total is `*` unless a count was asked for.',
  ETag: 'The version of what was answered, for If-Match and If-None-Match.',
  Location: 'Where the new row is.',
  'Content-Location': 'The URL of what was answered.',
  Link: 'The first, previous, next and last page (RFC 8288).',
  'Preference-Applied': 'Which of the preferences were heeded.',
  'Idempotency-Replayed':
    '`true` when this answer was given before, to the same Idempotency-Key. Rows that were too long to store are left out: then Preference-Applied has `return=headers-only`.',
  Allow: 'The methods that may be used here.',
  'Retry-After': 'In how many seconds to try again.',
  'RateLimit-Limit': 'Requests in the time of the rate, and at once.',
  'RateLimit-Remaining': 'Requests that may follow at once.',
  'RateLimit-Reset': 'In how many seconds all of them may.',
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
