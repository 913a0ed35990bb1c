/** The routes of the collection as a whole. */
import type { Collection } from '../collection/declaration.ts';
import type { Row } from '../collection/value.ts';
import { AFTER, LOGIC_KEYS } from '../dialect/logic.ts';
import type { JsonObject } from './json.ts';
import {
  BODY_REFUSALS,
  changeAnswers,
  changes,
  jsonBody,
  newRow,
  operation,
  options,
  WRITE_REFUSALS,
} from './operation.ts';
import { filterName } from './parameters.ts';
import { rowsContent, withHeaders } from './responses.ts';

export function collectionPath(collection: Collection, samples: readonly Row[]): JsonObject {
  const { name, key, fields } = collection;
  const filters = [...fields.map(filterName), ...LOGIC_KEYS, AFTER];
  const page = ['select', 'order', 'limit', 'offset'];
  const read = {
    tag: 'Read',
    parameters: [...filters, ...page, 'Prefer', 'Range', 'If-None-Match'],
    refusals: [406, 416],
  };
  const listHeaders = ['Content-Range', 'Content-Location', 'ETag', 'Link', 'Preference-Applied'] as const;
  const writeHeaders = ['Content-Range', 'Location', 'ETag', 'Preference-Applied', 'Idempotency-Replayed'] as const;
  const list = rowsContent(samples, samples[0] ?? {});
  const many = jsonBody(
    [{ $ref: '#/components/schemas/NewRow' }, { type: 'array', items: { $ref: '#/components/schemas/NewRow' } }],
    { one: newRow(collection, samples[0]), several: samples.map((sample) => newRow(collection, sample)) },
  );
  return {
    get: operation({
      ...read,
      id: `list_${name}`,
      summary: `List ${name}, filtered, sorted, paged, or in aggregates`,
      answers: {
        '200': withHeaders('The rows.', listHeaders, list),
        '206': withHeaders('A page that is smaller than the counted total.', listHeaders, list),
        '304': withHeaders('Nothing has changed since.', listHeaders),
      },
    }),
    head: operation({
      ...read,
      id: `count_${name}`,
      summary: 'The headers of the list, with its count where asked for',
      answers: {
        '200': withHeaders('As GET, without a body.', listHeaders),
        '206': withHeaders('As GET, without a body.', listHeaders),
        '304': withHeaders('Nothing has changed since.', listHeaders),
      },
    }),
    post: operation({
      id: `create_${name}`,
      tag: 'Write',
      summary: 'Create one row or many, or merge them into those there are',
      parameters: ['columns', 'on_conflict', 'select', 'Prefer', 'Idempotency-Key'],
      body: many,
      answers: {
        '200': withHeaders('Merged: every row was there before.', writeHeaders, list),
        '201': withHeaders('Created.', writeHeaders, list),
      },
      refusals: [412, ...WRITE_REFUSALS, ...BODY_REFUSALS, 422],
    }),
    patch: operation({
      id: `update_${name}`,
      tag: 'Write',
      summary: 'Change the rows that match a filter',
      description: `Without a filter, and with a list of objects, each names its row by ${key.name} and changes what else it carries. One object without a filter is refused.`,
      parameters: [...filters, ...page, 'columns', 'Prefer', 'Idempotency-Key'],
      body: changes(collection, samples),
      answers: changeAnswers(list, ['Idempotency-Replayed']),
      refusals: [412, ...WRITE_REFUSALS, ...BODY_REFUSALS, 422],
    }),
    put: operation({
      id: `replace_${name}`,
      tag: 'Write',
      summary: `Create or replace the one row that \`${key.name}=eq.…\` names`,
      parameters: [filterName(key), 'columns', 'select', 'Prefer', 'If-None-Match'],
      body: jsonBody([{ $ref: '#/components/schemas/NewRow' }], { one: samples[0] ?? {} }),
      answers: { ...changeAnswers(list), '201': withHeaders('Created.', ['ETag', 'Preference-Applied'], list) },
      refusals: [412, ...WRITE_REFUSALS, ...BODY_REFUSALS],
    }),
    delete: operation({
      id: `delete_${name}`,
      tag: 'Write',
      summary: 'Delete the rows that match a filter',
      description: 'A request without any filter is refused, and nothing is deleted.',
      parameters: [...filters, ...page, 'Prefer'],
      answers: changeAnswers(list),
      refusals: [412, ...WRITE_REFUSALS],
    }),
    options: options(`options_${name}`),
  };
}
