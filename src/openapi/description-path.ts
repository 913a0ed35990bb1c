/** The routes of the description itself. */
import type { JsonObject } from './json.ts';
import { operation, options } from './operation.ts';
import { withHeaders } from './responses.ts';

export const DESCRIPTION_PATHS = ['/', '/openapi.json'] as const;
export const OPENAPI_MEDIA_TYPE = 'application/openapi+json';

export function descriptionPath(path: string): JsonObject {
  const id = path === '/' ? 'describe' : 'describe_as_file';
  const draft = { tag: 'Describe', parameters: ['If-None-Match'], refusals: [406] };
  return {
    get: operation({
      ...draft,
      id,
      summary: 'This document',
      ...(path === '/' ? { description: 'A browser, which accepts text/html, is led to the console instead.' } : {}),
      answers: {
        '200': withHeaders('The description of the service.', ['ETag'], {
          [path === '/' ? OPENAPI_MEDIA_TYPE : 'application/json']: { schema: { type: 'object' } },
        }),
        ...(path === '/' ? { '303': withHeaders('To the console.', ['Location']) } : {}),
        '304': withHeaders('Nothing has changed since.', ['ETag']),
      },
    }),
    head: operation({
      ...draft,
      id: `head_of_${id}`,
      summary: 'Its headers',
      answers: {
        '200': withHeaders('As GET, without a body.', ['ETag']),
        ...(path === '/' ? { '303': withHeaders('To the console.', ['Location']) } : {}),
        '304': withHeaders('Nothing has changed since.', ['ETag']),
      },
    }),
    options: options(`options_of_${id}`),
  };
}
