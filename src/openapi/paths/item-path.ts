/** The operations on `/<collection>/{key}`. */
import type { Collection } from '../../collection/declaration.ts';
import { own } from '../component.ts';
import type { JsonObject } from '../json.ts';
import {
  BODY_ERRORS,
  changeAnswers,
  type Draft,
  head,
  operation,
  options,
  READ_ERRORS,
  WRITE_ERRORS,
} from '../operation.ts';
import { rowContent, rowsContent, withExample, withHeaders } from '../responses.ts';
import { type RowShape, shapeWords, withSelect } from '../row-shape.ts';
import type { Samples } from '../samples.ts';

export function itemPath(collection: Collection, samples: Samples, shape: RowShape): JsonObject {
  const { name } = collection;
  const its = (parameter: string): string => own(collection, parameter);
  const key = collection.key[0]!;
  const select = withSelect(shape, its('select'));
  const shapes = shapeWords(shape, `/${name}/{${key.name}}`);
  const headers = ['ETag'] as const;
  // A write returns a list of the rows it wrote, unless `Accept` asks for one object.
  const answered = rowsContent(collection, shape);
  const get: Draft = {
    id: shape.id(`read_one_of_${name}`),
    tag: name,
    summary: `Read one row by its ${key.name}`,
    description: `Returns one row as an object. Its \`ETag\` is its version. ${shapes}`,
    parameters: [...select, its('If-None-Match')],
    answers: {
      '200': withHeaders('The row.', headers, withExample(rowContent(collection, shape), collection, samples[0])),
      '304': withHeaders('Not modified.', headers),
    },
    errors: [404, ...READ_ERRORS],
  };
  return {
    parameters: [{ $ref: `#/components/parameters/${its('key.path')}` }],
    get: operation(get),
    head: head(get, { id: shape.id(`head_one_of_${name}`), summary: 'The headers of one row, with its version' }),
    patch: operation({
      id: shape.id(`update_one_of_${name}`),
      tag: name,
      summary: 'Change one row, with If-Match only if nobody else changed it',
      description: `Sets the fields of the body and keeps the others. With \`If-Match\` the service rejects the change (412) if somebody else changed the row. ${shapes}`,
      parameters: [its('columns'), ...select, 'Prefer', its('If-Match'), 'Idempotency-Key'],
      body: its(shape.id('changes')),
      answers: changeAnswers(answered, ['Idempotency-Replayed']),
      errors: [404, ...WRITE_ERRORS, ...BODY_ERRORS, 422, 501],
    }),
    put: operation({
      id: shape.id(`replace_one_of_${name}`),
      tag: name,
      summary: 'Replace one row: missing fields take their default',
      description: `Replaces the row by the body. Missing fields take their default, or null. The row must exist. The body may omit ${key.name}. ${shapes}`,
      parameters: [its('columns.whole'), ...select, 'Prefer', its('If-Match')],
      body: its(shape.id('row')),
      answers: changeAnswers(answered),
      errors: [404, ...WRITE_ERRORS, ...BODY_ERRORS],
    }),
    delete: operation({
      id: shape.id(`delete_one_of_${name}`),
      tag: name,
      summary: 'Delete one row',
      description: `With \`If-Match\` the service rejects the request (412) if somebody else changed the row. ${shapes}`,
      parameters: [...select, 'Prefer', its('If-Match')],
      answers: changeAnswers(answered),
      errors: [404, ...WRITE_ERRORS],
    }),
    options: options(shape.id(`options_one_of_${name}`), name, [403, 414, 429]),
  };
}
