/** The routes of the description itself. */
import type { JsonObject } from './json.ts';
import { type Draft, head, operation, options } from './operation.ts';
import { withHeaders } from './responses.ts';

export const OPENAPI_MEDIA_TYPE = 'application/openapi+json';

const ROUTES = {
  '/': {
    id: 'describe',
    type: OPENAPI_MEDIA_TYPE,
    description: 'The OpenAPI document. A browser, which accepts text/html, is led to the console instead.',
    more: { '303': withHeaders('To the console.', ['Location']) },
  },
  '/openapi.json': {
    id: 'describe_as_file',
    type: 'application/json',
    description: 'The OpenAPI document, to browsers, too.',
    more: {},
  },
} as const;

export const DESCRIPTION_PATHS = Object.keys(ROUTES) as readonly (keyof typeof ROUTES)[];

export function descriptionPath(path: keyof typeof ROUTES): JsonObject {
  const { id, type, description, more } = ROUTES[path];
  const get: Draft = {
    id,
    tag: 'Describe',
    summary: 'This document',
    description,
    parameters: ['If-None-Match'],
    answers: {
      '200': withHeaders('The description of the service.', ['ETag'], { [type]: { schema: { type: 'object' } } }),
      ...more,
      '304': withHeaders('Nothing has changed since.', ['ETag']),
    },
    refusals: [406, 429],
  };
  return {
    get: operation(get),
    head: head(get, { id: `head_of_${id}`, summary: 'Its headers' }),
    options: options(`options_of_${id}`),
  };
}
