/** The operation that sends several writes in one transaction. */
import { MAX_BATCH_REQUESTS } from '../../base/limits/http.ts';
import { BATCH_HEADERS, BATCH_WRITES } from '../../http/batch-call.ts';
import type { Components, JsonObject } from '../component.ts';
import { operation } from '../parameters.ts';
import { answer, JSON_OF } from '../responses.ts';

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

export function batchPath(components: Components): JsonObject {
  const schema = { type: 'array', minItems: 1, maxItems: MAX_BATCH_REQUESTS, items: REQUEST };
  const answers = JSON_OF({ type: 'array', items: ANSWER });
  return {
    post: operation(components, {
      id: 'batch',
      tag: 'Batch',
      summary: 'Several writes in one transaction',
      description:
        'Executes the requests in order; all take effect, or none. An error has the index of the failing request in `request`.',
      parameters: ['Prefer', 'Idempotency-Key'],
      body: { required: true, content: JSON_OF(schema) },
      answers: {
        '200': answer(
          components,
          'The answers to the requests, in order.',
          ['Preference-Applied', 'Idempotency-Replayed'],
          answers,
        ),
      },
    }),
  };
}
