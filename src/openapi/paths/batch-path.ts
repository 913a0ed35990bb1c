/** The operation for several writes in one transaction. */
import { MAX_BATCH_REQUESTS } from '../../base/limits/http.ts';
import { pathPart } from '../../base/net/query-string.ts';
import type { Collection } from '../../collection/declaration.ts';
import { BATCH_HEADERS, BATCH_WRITES } from '../../http/batch-call.ts';
import type { JsonObject } from '../json.ts';
import { BODY_ERRORS, type Draft, operation, options, WRITE_ERRORS } from '../operation.ts';
import { withHeaders } from '../responses.ts';

/** The name of the body in `components.requestBodies`. */
export const BATCH_BODY = 'Batch';

const REQUEST = {
  type: 'object',
  required: ['method', 'path'],
  additionalProperties: false,
  properties: {
    method: { enum: BATCH_WRITES },
    path: { type: 'string', pattern: '^/', description: 'Path and query, as in a single request.' },
    headers: {
      type: 'object',
      description: `Headers of this request: ${BATCH_HEADERS.join(', ')}.`,
      additionalProperties: { type: 'string' },
    },
    body: {
      description:
        'The body as JSON; CSV and forms as a text. A value of a row may be `{"$from": 0, "field": "id"}`: the value that an earlier request of the batch gives.',
    },
    affects: {
      type: 'integer',
      minimum: 0,
      description: 'The number of rows that the request must affect; otherwise the batch fails with 412.',
    },
  },
};

const ANSWER = {
  type: 'object',
  required: ['status', 'headers', 'body'],
  properties: {
    status: { type: 'integer' },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    body: { description: 'The rows, if the request asks for them, or null.' },
  },
};

/** `collection` appears in the example. */
export function batchBody(collection: Collection | undefined): JsonObject {
  const schema = { type: 'array', minItems: 1, maxItems: MAX_BATCH_REQUESTS, items: REQUEST };
  const value = collection && [{ method: 'DELETE', path: `/${pathPart(collection.name)}?limit=0`, affects: 0 }];
  const examples = value && { one: { summary: 'A request that must affect no row', value } };
  return { required: true, content: { 'application/json': { schema, ...(examples && { examples }) } } };
}

export function batchPath(): JsonObject {
  const post: Draft = {
    id: 'batch',
    tag: 'Batch',
    summary: 'Several writes in one transaction',
    description:
      'Executes the requests in order; all take effect, or none. An error has the index of the failing request in `request`.',
    parameters: ['Prefer', 'Idempotency-Key'],
    body: BATCH_BODY,
    answers: {
      '200': withHeaders('The answers to the requests, in order.', ['Preference-Applied', 'Idempotency-Replayed'], {
        'application/json': { schema: { type: 'array', items: ANSWER } },
      }),
    },
    errors: [...WRITE_ERRORS, ...BODY_ERRORS, 404, 405, 422, 501],
  };
  return { post: operation(post), options: options('options_of_batch') };
}
