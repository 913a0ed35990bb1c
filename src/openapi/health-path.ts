/** The routes for those who run the service: whether it lives, whether it is ready, what it has done. */
import type { JsonObject } from './json.ts';
import { type Draft, head, operation, options } from './operation.ts';
import { withHeaders } from './responses.ts';

const TEXT = { 'text/plain': { schema: { type: 'string' } } };

const ROUTES = {
  '/live': {
    id: 'live',
    summary: 'Whether the process runs',
    description: 'Answers as long as the process does, whatever becomes of its database.',
    answers: { '200': withHeaders('It does.', [], TEXT) },
  },
  '/ready': {
    id: 'ready',
    summary: 'Whether requests should be sent here',
    description: 'For load balancers and rolling restarts: not while the service starts, drains or has no database.',
    answers: {
      '200': withHeaders('They should.', [], TEXT),
      '503': withHeaders('Not now, and why: starting, draining, no database.', ['Retry-After'], TEXT),
    },
  },
  '/metrics': {
    id: 'metrics',
    summary: 'What the service has done, for Prometheus',
    description:
      'Counters and gauges of requests, the database and the process. With `--admin-port` on that port only.',
    answers: { '200': withHeaders('Its text format.', [], TEXT) },
  },
} as const;

export const HEALTH_PATHS = Object.keys(ROUTES) as readonly (keyof typeof ROUTES)[];

export function healthPath(path: keyof typeof ROUTES): JsonObject {
  const get: Draft = { ...ROUTES[path], tag: 'Observe', parameters: [], refusals: [] };
  return {
    get: operation(get),
    head: head(get, { id: `head_of_${get.id}`, summary: 'The same, without a body' }),
    options: options(`options_of_${get.id}`, 'Describe', []),
  };
}
