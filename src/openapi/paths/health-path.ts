/** The operations for monitoring: liveness, readiness and metrics. */
import type { JsonObject } from '../json.ts';
import { readOnlyPath } from '../operation.ts';
import { withHeaders } from '../responses.ts';

const TEXT = { 'text/plain': { schema: { type: 'string' } } };

const ROUTES = {
  '/live': {
    id: 'live',
    summary: 'Whether the process runs',
    description: 'Answers while the process runs, also without its database.',
    answers: { '200': withHeaders('The process runs.', [], TEXT) },
  },
  '/ready': {
    id: 'ready',
    summary: 'Whether the service can take requests',
    description:
      'For load balancers and rolling restarts. The service is not ready while it starts, drains or has no database.',
    answers: {
      '200': withHeaders('The instance can serve requests.', [], TEXT),
      '503': withHeaders('The body says why not: starting, draining, no database.', ['Retry-After'], TEXT),
    },
  },
  '/metrics': {
    id: 'metrics',
    summary: 'Metrics for Prometheus',
    description:
      'Counters and gauges of requests, the database and the process. With `--admin-port` on that port only.',
    answers: { '200': withHeaders('The metrics in text format.', [], TEXT) },
  },
} as const;

export const HEALTH_PATHS = Object.keys(ROUTES) as readonly (keyof typeof ROUTES)[];

export function healthPath(path: keyof typeof ROUTES): JsonObject {
  const get = { ...ROUTES[path], tag: 'Observe', parameters: [], errors: [] };
  return readOnlyPath(get, 'The same, without a body', []);
}
