/** Answers: what each carries when it is good, and one for every status of the error catalogue. */
import { ERRORS } from '../errors.ts';
import { MEDIA_TYPES } from '../http/negotiate.ts';
import type { Json, JsonObject } from './json.ts';

/** The statuses of the error catalogue with the codes of each. */
export function codesByStatus(): ReadonlyMap<number, readonly string[]> {
  const codes = new Map<number, string[]>();
  for (const [code, { status }] of Object.entries(ERRORS)) codes.set(status, [...(codes.get(status) ?? []), code]);
  return new Map([...codes].sort(([one], [other]) => one - other));
}

export function errorResponses(): Record<string, JsonObject> {
  return Object.fromEntries(
    [...codesByStatus()].map(([status, codes]) => [`Error${status}`, errorResponse(codes, EXPLAINING[status] ?? [])]),
  );
}

/** Headers with which a refusal says more. */
const EXPLAINING: Readonly<Record<number, readonly ResponseHeader[]>> = {
  405: ['Allow'],
  416: ['Content-Range', 'Preference-Applied'],
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

function meaningOf(code: string): string {
  return ERRORS[code as keyof typeof ERRORS].meaning;
}

const ROW = { $ref: '#/components/schemas/Row' };

/** Rows in each of the media types a client may accept. */
export function rowsContent(list: Json, one: Json): JsonObject {
  return contentBy((type) =>
    type.includes('object') ? { schema: ROW, example: one } : { schema: { type: 'array', items: ROW }, example: list },
  );
}

/** One row, which is no list in any of them. */
export function rowContent(one: Json): JsonObject {
  return contentBy(() => ({ schema: ROW, example: one }));
}

function contentBy(json: (type: string) => JsonObject): JsonObject {
  const types = MEDIA_TYPES.filter((type) => type !== '*/*' && (type.includes('+') || !type.includes('vnd')));
  const isJson = (type: string) => type.endsWith('json') && !type.endsWith('ndjson');
  return Object.fromEntries(types.map((type) => [type, isJson(type) ? json(type) : { schema: { type: 'string' } }]));
}

const HEADERS = {
  'Content-Range': '`first-last/total`; the total is `*` unless a count was asked for.',
  ETag: 'The version of what was answered, for If-Match and If-None-Match.',
  Location: 'Where the new row is.',
  'Content-Location': 'The URL of what was answered.',
  Link: 'The first, previous, next and last page (RFC 8288).',
  'Preference-Applied': 'Which of the preferences were heeded.',
  'Idempotency-Replayed': '`true` when this answer was given before, to the same Idempotency-Key.',
  Allow: 'The methods that may be used here.',
  'Retry-After': 'In how many seconds to try again.',
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
