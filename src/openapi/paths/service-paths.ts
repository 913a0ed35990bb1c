/** The operations of the service itself: the document, health and metrics. */
import type { Components, JsonObject } from '../component.ts';
import { type Operation, operation } from '../parameters.ts';
import { answer, notModifiedAnswer } from '../responses.ts';

export const OPENAPI_MEDIA_TYPE = 'application/openapi+json';

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
