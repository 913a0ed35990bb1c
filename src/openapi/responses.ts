/** Answers: rows in each media type, the error catalogue, and their headers. */
import { ERRORS } from '../base/errors.ts';
import { FACETS_MEDIA_TYPE } from '../dialect/order.ts';
import { ANSWER_MEDIA, EVENT_STREAM } from '../http/negotiate.ts';
import type { Components, JsonObject } from './component.ts';
import { problem } from './schemas.ts';

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

type Header = keyof typeof HEADERS;

const WRITE_HEADERS: readonly Header[] = [
  'ETag',
  'Preference-Applied',
  'Content-Range',
  'Location',
  'Idempotency-Replayed',
  'Catalogue-Missing-Rows',
];
const LIST_HEADERS: readonly Header[] = [...WRITE_HEADERS, 'Content-Location', 'Link'];
const ERROR_HEADERS: readonly Header[] = [
  'Allow',
  'Content-Range',
  'Preference-Applied',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
];

export function answer(
  components: Components,
  description: string,
  names: readonly Header[] = [],
  content?: JsonObject,
): JsonObject {
  const headers = names.map((name) => [
    name,
    components.ref('headers', name, () => ({ description: HEADERS[name], schema: { type: 'string' } })),
  ]);
  return {
    description,
    ...(names.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
    ...(content === undefined ? {} : { content }),
  };
}

export const JSON_OF = (schema: JsonObject): JsonObject => ({ 'application/json': { schema } });

/** Rows by `Accept`, in words: an answer of several media types has no type for generators. */
export const MEDIA_WORDS = `Answers are JSON. \`Accept\` chooses another media type: ${[
  ...new Set(ANSWER_MEDIA.map((contentType) => `\`${contentType.replace(/; charset=.*$/, '')}\``)),
  `\`${FACETS_MEDIA_TYPE}\` (a list with facets)`,
  `\`${EVENT_STREAM}\` (a list and its changes)`,
]
  .slice(1)
  .join(', ')}.`;

export function doneAnswer(components: Components): JsonObject {
  return components.ref('responses', 'Done', () => answer(components, 'Done.', WRITE_HEADERS));
}

export function notModifiedAnswer(components: Components): JsonObject {
  return components.ref('responses', 'NotModified', () => answer(components, 'Not modified.', LIST_HEADERS));
}

/** The answer to every request that the service rejects. */
export function errorAnswer(components: Components): JsonObject {
  return components.ref('responses', 'Error', () => {
    const rows = Object.entries(ERRORS).map(
      ([code, { status, meaning }]) => `| ${status} | \`${code}\` | ${meaning} |`,
    );
    const table = `| status | code | meaning |\n|---|---|---|\n${rows.sort().join('\n')}`;
    return answer(
      components,
      `The service rejects the request:\n\n${table}`,
      ERROR_HEADERS,
      JSON_OF(problem(components)),
    );
  });
}
