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
  return Object.fromEntries([...codesByStatus()].map(([status, codes]) => [`Error${status}`, errorResponse(codes)]));
}

function errorResponse(codes: readonly string[]): JsonObject {
  const lines = codes.map((code) => `- \`${code}\`: ${meaningOf(code)}`);
  const examples = codes.map((code) => [
    code,
    { summary: meaningOf(code), value: { code, message: meaningOf(code), details: null, hint: null } },
  ]);
  return {
    description: `Refused:\n\n${lines.join('\n')}`,
    content: {
      'application/json': {
        schema: { allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: codes } } }] },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

function meaningOf(code: string): string {
  return ERRORS[code as keyof typeof ERRORS].meaning;
}

/** Rows in each of the media types a client may accept. */
export function rowsContent(list: Json, one: Json): JsonObject {
  const listSchema = { type: 'array', items: { $ref: '#/components/schemas/Row' } };
  const types = MEDIA_TYPES.filter((type) => type.includes('+') || !type.includes('vnd')).filter(
    (type) => type !== '*/*',
  );
  return Object.fromEntries(
    types.map((type) => {
      if (type.includes('object')) return [type, { schema: { $ref: '#/components/schemas/Row' }, example: one }];
      if (type.endsWith('json') && !type.endsWith('ndjson')) return [type, { schema: listSchema, example: list }];
      return [type, { schema: { type: 'string' } }];
    }),
  );
}

const HEADERS = {
  'Content-Range': '`first-last/total`; the total is `*` unless a count was asked for.',
  ETag: 'The version of what was answered, for If-Match and If-None-Match.',
  Location: 'Where the new row is.',
  Link: 'The first, previous, next and last page (RFC 8288).',
  'Preference-Applied': 'Which of the preferences were heeded.',
  'Idempotency-Replayed': '`true` when this answer was given before, to the same Idempotency-Key.',
  Allow: 'The methods that may be used here.',
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
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...(content === undefined ? {} : { content }),
  };
}
