/** The operations of the service itself: batches, undo, the document, health and metrics. */

import { MAX_BATCH_REQUESTS, MAX_UNDO_CHANGES, MAX_UNDO_TRANSACTION } from '../../base/limits/http.ts';
import { BATCH_HEADERS, BATCH_WRITES } from '../../http/batch-call.ts';
import type { Components, JsonObject } from '../component.ts';
import { OPENAPI_MEDIA_TYPE } from '../described.ts';
import { type Operation, operation } from '../parameters.ts';
import { answer, JSON_OF, notModifiedAnswer } from '../responses.ts';

const TEXT = { 'text/plain': { schema: { type: 'string' } } };

type Described = (components: Components) => Omit<Operation, 'tag'>;

function document(id: string, type: string, description: string, more: Operation['answers'] = {}): Described {
  return (components) => ({
    id,
    summary: 'This document',
    description,
    parameters: ['If-None-Match'],
    answers: {
      '200': answer(components, 'The description of the service.', ['ETag'], {
        [type]: { schema: { type: 'object' } },
      }),
      ...more,
      '304': notModifiedAnswer(components),
    },
  });
}

const DESCRIBE: Readonly<Record<string, Described>> = {
  '/': document(
    'describe',
    OPENAPI_MEDIA_TYPE,
    "Swagger 2.0 in the shape of PostgREST's root document. Browsers, which accept text/html, get a redirect to the console.",
    { '303': { description: 'To the console.' } },
  ),
  '/openapi.json': document('describe_as_file', 'application/json', 'The OpenAPI 3.1 document, also for browsers.'),
};

const OBSERVE: Readonly<Record<string, Described>> = {
  '/live': (components) => ({
    id: 'live',
    summary: 'Whether the process runs',
    description: 'Answers while the process runs, also without its database.',
    answers: { '200': answer(components, 'The process runs.', [], TEXT) },
  }),
  '/ready': (components) => ({
    id: 'ready',
    summary: 'Whether the service can take requests',
    description:
      'For load balancers and rolling restarts. The service is not ready while it starts, drains or has no database.',
    answers: {
      '200': answer(components, 'The instance can serve requests.', [], TEXT),
      '503': answer(components, 'The body says why not: starting, draining, no database.', ['Retry-After'], TEXT),
    },
  }),
  '/metrics': (components) => ({
    id: 'metrics',
    summary: 'Metrics for Prometheus',
    description:
      'Counters and gauges of requests, the database and the process. With `--admin-port` on that port only.',
    answers: { '200': answer(components, 'The metrics in text format.', [], TEXT) },
  }),
};

/** The paths of the service that take GET, by tag. */
export const SERVICE_PATHS = { Describe: DESCRIBE, Observe: OBSERVE } as const;

export function servicePath(components: Components, tag: string, describe: Described): JsonObject {
  return { get: operation(components, { tag, ...describe(components) }) };
}

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

const ROW = {
  collection: { type: 'string' },
  key: { type: 'string', description: 'The key; a JSON list if it has several fields.' },
};
const SKIPPED = {
  type: 'object',
  required: ['collection', 'key', 'seq'],
  properties: { ...ROW, seq: { type: 'integer', description: 'The last change that is not reverted.' } },
};
const VALUES = { type: ['object', 'null'] };
const CHANGE = {
  type: 'object',
  required: ['undoes', 'collection', 'key', 'kind', 'before', 'after'],
  properties: {
    undoes: { type: 'integer', description: 'The position of the reverted change.' },
    ...ROW,
    kind: { enum: ['insert', 'update', 'delete'] },
    before: VALUES,
    after: VALUES,
  },
};
const UNDO_ANSWER = {
  type: 'object',
  required: ['undone', 'skipped'],
  properties: {
    undone: { type: 'integer', description: 'The number of reverted changes.' },
    undone_before: { type: 'integer', description: 'The number of changes that an earlier undo reverted, if any.' },
    skipped: { type: 'array', items: SKIPPED },
    changes: { type: 'array', items: CHANGE, description: 'With Prefer: return=representation.' },
  },
};

/** A line of a streamed answer; the last one may be an error. */
const LINE = {
  ...UNDO_ANSWER,
  properties: {
    ...UNDO_ANSWER.properties,
    undone: { type: 'integer', description: 'The number of changes reverted so far.' },
    total: { type: 'integer', description: 'The number of changes to revert.' },
    position: { type: 'string', description: 'As the header Catalogue-Position, if a read could miss the step.' },
  },
};

export function undoPath(components: Components): JsonObject {
  const content = { ...JSON_OF(UNDO_ANSWER), 'application/x-ndjson': { schema: LINE } };
  return {
    post: operation(components, {
      id: 'undo',
      tag: 'History',
      summary: 'Revert changes',
      description: `Reverts the changes that the filters select, at most ${MAX_UNDO_CHANGES}: in one transaction, or in steps if there are more than ${MAX_UNDO_TRANSACTION}. At least one filter on a field of \`changes\` is required. With Accept: application/x-ndjson, each line has the progress after a step.`,
      parameters: ['filter', 'Prefer'],
      answers: { '200': answer(components, 'What was reverted.', ['Preference-Applied'], content) },
    }),
  };
}
