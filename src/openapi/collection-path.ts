/** The routes of the collection as a whole. */
import type { Collection } from '../collection/declaration.ts';
import { changesOfSome, createdRows, wholeRow } from './bodies.ts';
import { written } from './by-role.ts';
import { own } from './component.ts';
import { filterNames } from './filters.ts';
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
import { keyEqNames } from './parameters.ts';
import { rowsContent, withHeaders } from './responses.ts';
import { keyNames, type Samples } from './samples.ts';

export function collectionPath(collection: Collection, samples: Samples): JsonObject {
  const { name } = collection;
  const its = (parameter: string): string => own(collection, parameter);
  const key = keyNames(collection);
  const filters = filterNames(collection);
  const page = [its('select'), its('order'), 'limit', 'offset'];
  const listHeaders = ['Content-Range', 'Content-Location', 'ETag', 'Link', 'Preference-Applied'] as const;
  const writeHeaders = ['Content-Range', 'Location', 'ETag', 'Preference-Applied', 'Idempotency-Replayed'] as const;
  const list = rowsContent(collection, samples);
  const get: Draft = {
    id: `list_${name}`,
    tag: name,
    summary: `List ${name}, filtered, sorted, paged, or in aggregates`,
    description:
      'The rows that pass all filters, or the page of them that `limit` and `offset`, or `Range`, ask for. They are whole, or have the shape that `select` gives them. `Prefer: count=exact` adds the total to `Content-Range`.',
    parameters: [...filters, ...page, 'Prefer', 'Range', its('If-None-Match')],
    answers: {
      '200': withHeaders('The rows.', listHeaders, list),
      '206': withHeaders('A page that is smaller than the counted total.', listHeaders, list),
      '304': withHeaders('Nothing has changed since.', listHeaders),
    },
    refusals: [...READ_REFUSALS, 416],
  };
  return {
    get: operation(get),
    head: head(get, { id: `count_${name}`, summary: 'The headers of the list, with its count where asked for' }),
    post: operation({
      id: `create_${name}`,
      tag: name,
      summary: 'Create one row or many, or merge them into those there are',
      description: `Stores all rows of the body, or none. ${whatIsMade(collection)}\`Prefer: resolution=merge-duplicates\` changes the rows that exist, \`resolution=ignore-duplicates\` leaves them as they are. There is a body in the answer only with \`Prefer: return=representation\`.`,
      parameters: [its('columns.new'), its('on_conflict'), its('select'), 'Prefer', 'Idempotency-Key'],
      body: createdRows(...written(collection, 'creates', samples)),
      answers: {
        '200': withHeaders('Merged: every row was there before.', writeHeaders, list),
        '201': withHeaders('Created.', writeHeaders, list),
      },
      refusals: [...WRITE_REFUSALS, ...BODY_REFUSALS, 422, 501],
    }),
    patch: operation({
      id: `update_${name}`,
      tag: name,
      summary: 'Change the rows that match a filter',
      description: `With a filter, sets the fields of the body in every row that passes it. Without a filter, and with a list of objects, each names its row by ${key} and changes what else it carries. One object without a filter is refused. A list with a filter and \`If-Match: *\` is refused with 412 unless each of its rows passes the filter.`,
      parameters: [...filters, ...page, its('columns'), 'Prefer', 'If-Match.list', 'Idempotency-Key'],
      body: changesOfSome(...written(collection, 'updates', samples)),
      answers: changeAnswers(list, ['Idempotency-Replayed']),
      refusals: [...WRITE_REFUSALS, ...BODY_REFUSALS, 422, 501],
    }),
    put: operation({
      id: `replace_${name}`,
      tag: name,
      summary: `Create or replace the one row that ${collection.key.map((field) => `${field.name}=eq.…`).join('&')} names`,
      description: `The row becomes what the body says; what is left out takes its default, or null. The body names the same ${key} as the URL.`,
      parameters: [...keyEqNames(collection), its('columns.whole'), its('select'), 'Prefer', 'If-None-Match.create'],
      body: wholeRow(...written(collection, 'creates', samples)),
      answers: { ...changeAnswers(list), '201': withHeaders('Created.', ['ETag', 'Preference-Applied'], list) },
      refusals: [405, ...WRITE_REFUSALS, ...BODY_REFUSALS],
    }),
    delete: operation({
      id: `delete_${name}`,
      tag: name,
      summary: 'Delete the rows that match a filter',
      description: 'A request without any filter is refused, and nothing is deleted.',
      parameters: [...filters, ...page, 'Prefer'],
      answers: changeAnswers(list),
      refusals: WRITE_REFUSALS,
    }),
    options: options(`options_${name}`, name, [403, 414, 429]),
  };
}

/** What becomes of a new row without its key. */
function whatIsMade({ assigned, key }: Collection): string {
  const made = key.filter(
    (field) => field === assigned || field.generated !== undefined || field.default !== undefined,
  );
  return made.map(({ name }) => `A row without ${name} is assigned one. `).join('');
}
