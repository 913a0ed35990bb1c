/** The routes of one row, by its key. */
import type { Collection } from '../collection/declaration.ts';
import type { Row } from '../collection/value.ts';
import type { JsonObject } from './json.ts';
import { BODY_REFUSALS, changeAnswers, changes, jsonBody, operation, options, WRITE_REFUSALS } from './operation.ts';
import { rowContent, rowsContent, withHeaders } from './responses.ts';

export function itemPath(collection: Collection, samples: readonly Row[]): JsonObject {
  const { name, key } = collection;
  const headers = ['ETag'] as const;
  const sample = samples[0] ?? {};
  const one = rowContent(sample);
  // A write answers with the rows it wrote, as a list, unless one object is asked for.
  const written = rowsContent([sample], sample);
  const refusals = [404, 412, ...WRITE_REFUSALS];
  return {
    parameters: [
      {
        name: key.name,
        in: 'path',
        required: true,
        description: key.description,
        schema: { type: 'integer' },
        example: samples[0]?.[key.name] ?? 1,
      },
    ],
    get: operation({
      id: `read_one_of_${name}`,
      tag: 'Read',
      summary: `Read one row by its ${key.name}`,
      parameters: ['select', 'If-None-Match'],
      answers: {
        '200': withHeaders('The row.', headers, one),
        '304': withHeaders('Nothing has changed since.', headers),
      },
      refusals: [404, 406],
    }),
    head: operation({
      id: `head_one_of_${name}`,
      tag: 'Read',
      summary: 'The headers of one row, with its version',
      parameters: ['select', 'If-None-Match'],
      answers: {
        '200': withHeaders('As GET, without a body.', headers),
        '304': withHeaders('Nothing has changed since.', headers),
      },
      refusals: [404, 406],
    }),
    patch: operation({
      id: `update_one_of_${name}`,
      tag: 'Write',
      summary: 'Change one row, with If-Match only if nobody else has',
      parameters: ['columns', 'select', 'Prefer', 'If-Match', 'Idempotency-Key'],
      body: changes(collection, samples),
      answers: changeAnswers(written, ['Idempotency-Replayed']),
      refusals: [...refusals, ...BODY_REFUSALS, 422],
    }),
    put: operation({
      id: `replace_one_of_${name}`,
      tag: 'Write',
      summary: 'Replace one row: what is left out takes its default',
      parameters: ['columns', 'select', 'Prefer', 'If-Match', 'If-None-Match'],
      body: jsonBody([{ $ref: '#/components/schemas/NewRow' }], { one: samples[0] ?? {} }),
      answers: changeAnswers(written),
      refusals: [...refusals, ...BODY_REFUSALS],
    }),
    delete: operation({
      id: `delete_one_of_${name}`,
      tag: 'Write',
      summary: 'Delete one row',
      parameters: ['select', 'Prefer', 'If-Match'],
      answers: changeAnswers(written),
      refusals,
    }),
    options: options(`options_one_of_${name}`),
  };
}
