/** The operations that return the document itself. */
import type { JsonObject } from '../json.ts';
import { readOnlyPath } from '../operation.ts';
import { withHeaders } from '../responses.ts';

export const OPENAPI_MEDIA_TYPE = 'application/openapi+json';

interface DescriptionRoute {
  readonly id: string;
  readonly type: string;
  readonly description: string;
  readonly more: JsonObject;
  readonly parameters?: readonly string[];
  readonly errors?: readonly number[];
}

const ROUTES = {
  '/': {
    id: 'describe',
    type: OPENAPI_MEDIA_TYPE,
    description: 'The OpenAPI document. Browsers, which accept text/html, get a redirect to the console.',
    more: { '303': withHeaders('To the console.', ['Location']) },
  },
  '/openapi/{collection}.json': {
    id: 'describe_collection',
    type: 'application/json',
    description: 'The OpenAPI document of one collection, for catalogues whose whole document is large.',
    more: {},
    parameters: ['collection'],
    errors: [404],
  },
  '/openapi.json': {
    id: 'describe_as_file',
    type: 'application/json',
    description: 'The OpenAPI document, also for browsers.',
    more: {},
  },
} as const satisfies Record<string, DescriptionRoute>;

export const DESCRIPTION_PATHS = Object.keys(ROUTES) as readonly (keyof typeof ROUTES)[];

export function descriptionPath(path: keyof typeof ROUTES): JsonObject {
  const { id, type, description, more, parameters = [], errors = [] }: DescriptionRoute = ROUTES[path];
  const get = {
    id,
    tag: 'Describe',
    summary: 'This document',
    description,
    parameters: [...parameters, 'If-None-Match'],
    answers: {
      '200': withHeaders('The description of the service.', ['ETag'], { [type]: { schema: { type: 'object' } } }),
      ...more,
      '304': withHeaders('Not modified.', ['ETag']),
    },
    errors: [...errors, 406, 429],
  };
  return readOnlyPath(get, 'Its headers');
}
