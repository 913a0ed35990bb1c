/** The routes of one row, by its key. */
import type { Collection } from '../collection/declaration.ts';
import { changes, wholeRow } from './bodies.ts';
import { written } from './by-role.ts';
import { own } from './component.ts';
import type { JsonObject } from './json.ts';
import {
  BODY_REFUSALS,
  changeAnswers,
  type Draft,
  head,
  operation,
  options,
  READ_REFUSALS,
  WRITE_REFUSALS,
} from './operation.ts';
import { rowContent, rowsContent, withHeaders } from './responses.ts';
import type { Samples } from './samples.ts';

export function itemPath(collection: Collection, samples: Samples): JsonObject {
  const { name } = collection;
  const its = (parameter: string): string => own(collection, parameter);
  const key = collection.key[0]!;
  const headers = ['ETag'] as const;
  // A write answers with the rows it wrote, as a list, unless one object is asked for.
  const answered = rowsContent(collection, [samples[0]]);
  const get: Draft = {
    id: `read_one_of_${name}`,
    tag: name,
    summary: `Read one row by its ${key.name}`,
    description: 'One row as an object, whole or of the shape that `select` gives it. Its `ETag` is its version.',
    parameters: [its('select'), its('If-None-Match')],
    answers: {
      '200': withHeaders('The row.', headers, rowContent(collection, samples)),
      '304': withHeaders('Nothing has changed since.', headers),
    },
    refusals: [404, ...READ_REFUSALS],
  };
  return {
    parameters: [{ $ref: `#/components/parameters/${its('key.path')}` }],
    get: operation(get),
    head: head(get, { id: `head_one_of_${name}`, summary: 'The headers of one row, with its version' }),
    patch: operation({
      id: `update_one_of_${name}`,
      tag: name,
      summary: 'Change one row, with If-Match only if nobody else has',
      description:
        'Sets the fields of the body; the others stay as they are. With `If-Match` a row that has changed since it was read is refused with 412.',
      parameters: [its('columns'), its('select'), 'Prefer', its('If-Match'), 'Idempotency-Key'],
      body: changes(...written(collection, 'updates', samples)),
      answers: changeAnswers(answered, ['Idempotency-Replayed']),
      refusals: [404, ...WRITE_REFUSALS, ...BODY_REFUSALS, 422, 501],
    }),
    put: operation({
      id: `replace_one_of_${name}`,
      tag: name,
      summary: 'Replace one row: what is left out takes its default',
      description: `The row becomes what the body says; what is left out takes its default, or null. It must exist. The body may leave out ${key.name}.`,
      parameters: [its('columns.whole'), its('select'), 'Prefer', its('If-Match')],
      body: wholeRow(...written(collection, 'creates', samples)),
      answers: changeAnswers(answered),
      refusals: [404, ...WRITE_REFUSALS, ...BODY_REFUSALS],
    }),
    delete: operation({
      id: `delete_one_of_${name}`,
      tag: name,
      summary: 'Delete one row',
      description: 'With `If-Match` a row that has changed since it was read is refused with 412.',
      parameters: [its('select'), 'Prefer', its('If-Match')],
      answers: changeAnswers(answered),
      refusals: [404, ...WRITE_REFUSALS],
    }),
    options: options(`options_one_of_${name}`, name, [403, 414, 429]),
  };
}
