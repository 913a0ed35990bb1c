/** The routes for those who run the service: whether it lives, whether it is ready, what it has done. */
import type { JsonObject } from './json.ts';
import { operation, options } from './operation.ts';
import { withHeaders } from './responses.ts';

const ROUTES = {
  '/live': { id: 'live', summary: 'Whether the process runs', answer: 'It does.' },
  '/ready': { id: 'ready', summary: 'Whether requests should be sent here', answer: 'They should.' },
  '/metrics': { id: 'metrics', summary: 'What the service has done, for Prometheus', answer: 'Its text format.' },
} as const;

export const HEALTH_PATHS = Object.keys(ROUTES) as readonly (keyof typeof ROUTES)[];

const TEXT = { 'text/plain': { schema: { type: 'string' } } };

export function healthPath(path: keyof typeof ROUTES): JsonObject {
  const { id, summary, answer } = ROUTES[path];
  const notReady =
    path === '/ready'
      ? { '503': withHeaders('Not now, and why: starting, draining, no database.', ['Retry-After'], TEXT) }
      : {};
  const draft = { tag: 'Observe', parameters: [], refusals: [] };
  return {
    get: operation({
      ...draft,
      id,
      summary,
      ...(path === '/metrics' ? { description: 'With `--admin-port` it is on that port only.' } : {}),
      answers: { '200': withHeaders(answer, [], TEXT), ...notReady },
    }),
    head: operation({
      ...draft,
      id: `head_of_${id}`,
      summary: 'The same, without a body',
      answers: { '200': withHeaders('As GET, without a body.', []), ...notReady },
    }),
    options: options(`options_of_${id}`),
  };
}
