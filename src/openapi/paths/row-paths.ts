/** The operations on `/<collection>` and on `/<collection>/{key}`. */
import { pathPart } from '../../base/net/query-string.ts';
import type { Collection } from '../../collection/declaration.ts';
import { EVENT_STREAM } from '../../http/negotiate.ts';
import { componentName, own } from '../component.ts';
import { filterNames } from '../filters.ts';
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
import { keyEqNames } from '../parameters.ts';
import { rowContent, rowsContent, withExample, withHeaders } from '../responses.ts';
import { type RowShape, shapeWords, withSelect } from '../row-shape.ts';
import { keyNames, type Samples } from '../samples.ts';

type Rest = Omit<Draft, 'id' | 'tag'>;

/** The parts that all operations on a collection share. A write returns a list, unless `Accept` asks for an object. */
function sharedParts(collection: Collection, shape: RowShape, path: string) {
  const its = (parameter: string): string => own(collection, parameter);
  const idOf = (verb: string): string => shape.id(`${verb}_${componentName(collection.name)}`);
  const draft = (verb: string, rest: Rest): Draft => ({ id: idOf(verb), tag: collection.name, ...rest });
  return {
    its,
    idOf,
    select: withSelect(shape, its('select')),
    shapes: shapeWords(shape, path),
    list: rowsContent(collection, shape),
    draft,
    write: (verb: string, rest: Rest) => operation(draft(verb, rest)),
  };
}

/** The rows as events, then their changes. */
const EVENTS: JsonObject = { [EVENT_STREAM]: { schema: { type: 'string' } } };

export function collectionPath(collection: Collection, samples: Samples, shape: RowShape): JsonObject {
  const { name } = collection;
  const { its, idOf, select, shapes, list, draft, write } = sharedParts(collection, shape, `/${pathPart(name)}`);
  const key = keyNames(collection);
  const filters = filterNames(collection);
  const page = [...select, its('order'), 'limit', 'offset'];
  const listHeaders = ['Content-Range', 'Content-Location', 'ETag', 'Link', 'Preference-Applied'] as const;
  const writeHeaders = ['Content-Range', 'Location', 'ETag', 'Preference-Applied', 'Idempotency-Replayed'] as const;
  const get = draft('list', {
    summary: `List ${name}, filtered, sorted, paged${shape.isFree ? ', in any shape, or aggregated' : ''}`,
    description: `Returns the rows that pass all filters, or a page of them: \`limit\` and \`offset\`, or \`Range\`. \`Prefer: count=exact\` adds the total to \`Content-Range\`. ${shapes}`,
    parameters: [...filters, ...page, 'Prefer', 'Range', its('If-None-Match')],
    answers: {
      '200': withHeaders('The rows.', listHeaders, {
        ...withExample(list, collection, samples),
        ...(shape.isFree ? EVENTS : {}),
      }),
      '206': withHeaders('A page of the counted rows.', listHeaders, list),
      '304': withHeaders('Not modified.', listHeaders),
    },
    errors: [...READ_ERRORS, 410, 416, 501],
  });
  const replacement = () =>
    write('replace', {
      summary: `Create or replace the one row that ${collection.key.map((field) => `${field.name}=eq.…`).join('&')} names`,
      description: `Replaces the row by the body. Missing fields take their default, or null. The body has the same ${key} as the URL. ${shapes}`,
      parameters: [...keyEqNames(collection), its('columns.whole'), ...select, 'Prefer', 'If-None-Match.create'],
      body: its(shape.id('row')),
      answers: { ...changeAnswers(list), '201': withHeaders('Created.', ['ETag', 'Preference-Applied'], list) },
      errors: [405, ...WRITE_ERRORS, ...BODY_ERRORS],
    });
  return {
    get: operation(get),
    head: head(get, { id: idOf('count'), summary: 'The headers of the list, with its count on request' }),
    post: write('create', {
      summary: 'Create one row or many, or upsert them',
      description: `Stores all rows of the body, or none. ${assignedWords(collection)}\`Prefer: resolution=merge-duplicates\` updates existing rows, \`resolution=ignore-duplicates\` keeps them. The answer has a body only with \`Prefer: return=representation\`. ${shapes}`,
      parameters: [its('columns.new'), its('on_conflict'), ...select, 'Prefer', 'Idempotency-Key'],
      body: its(shape.id('rows')),
      answers: {
        '200': withHeaders('Merged: every row existed.', writeHeaders, list),
        '201': withHeaders('Created.', writeHeaders, list),
      },
      errors: [...WRITE_ERRORS, ...BODY_ERRORS, 422, 501],
    }),
    patch: write('update', {
      summary: 'Change the rows that match a filter',
      description: `With a filter, sets the fields of the body in every row that passes it. ${listWords(collection)}${shapes}`,
      parameters: [
        ...filters,
        ...page,
        its('columns'),
        its('on_conflict'),
        'Prefer',
        'If-Match.list',
        'Idempotency-Key',
      ],
      body: its(shape.id('list-changes')),
      answers: changeAnswers(list, ['Idempotency-Replayed', 'Catalogue-Missing-Rows']),
      errors: [...WRITE_ERRORS, ...BODY_ERRORS, 422, 501],
    }),
    ...(collection.key.length === 0 ? {} : { put: replacement() }),
    delete: write('delete', {
      summary: 'Delete the rows that match a filter',
      description: `The service rejects a request without a filter and deletes nothing. ${shapes}`,
      parameters: [...filters, ...page, 'Prefer'],
      answers: changeAnswers(list),
      errors: WRITE_ERRORS,
    }),
    options: options(idOf('options'), name, [403, 414, 429]),
  };
}

export function itemPath(collection: Collection, samples: Samples, shape: RowShape): JsonObject {
  const { name } = collection;
  const key = collection.key[0]!.name;
  const { its, idOf, select, shapes, list, draft, write } = sharedParts(
    collection,
    shape,
    `/${pathPart(name)}/{${componentName(key)}}`,
  );
  const get = draft('read_one_of', {
    summary: `Read one row by its ${key}`,
    description: `Returns one row as an object. Its \`ETag\` is its version. ${shapes}`,
    parameters: [...select, 'Prefer', its('If-None-Match')],
    answers: {
      '200': withHeaders(
        'The row.',
        ['ETag', 'Preference-Applied'],
        withExample(rowContent(collection, shape), collection, samples[0]),
      ),
      '304': withHeaders('Not modified.', ['ETag']),
    },
    errors: [404, ...READ_ERRORS, 410, 501],
  });
  return {
    parameters: [{ $ref: `#/components/parameters/${its('key.path')}` }],
    get: operation(get),
    head: head(get, { id: idOf('head_one_of'), summary: 'The headers of one row, with its version' }),
    patch: write('update_one_of', {
      summary: 'Change one row, with If-Match only if nobody else changed it',
      description: `Sets the fields of the body and keeps the others. With \`If-Match\` the service rejects the change (412) if somebody else changed the row. ${shapes}`,
      parameters: [its('columns'), ...select, 'Prefer', its('If-Match'), 'Idempotency-Key'],
      body: its(shape.id('changes')),
      answers: changeAnswers(list, ['Idempotency-Replayed']),
      errors: [404, ...WRITE_ERRORS, ...BODY_ERRORS, 422, 501],
    }),
    put: write('replace_one_of', {
      summary: 'Replace one row: missing fields take their default',
      description: `Replaces the row by the body. Missing fields take their default, or null. The row must exist. The body may omit ${key}. ${shapes}`,
      parameters: [its('columns.whole'), ...select, 'Prefer', its('If-Match')],
      body: its(shape.id('row')),
      answers: changeAnswers(list),
      errors: [404, ...WRITE_ERRORS, ...BODY_ERRORS],
    }),
    delete: write('delete_one_of', {
      summary: 'Delete one row',
      description: `With \`If-Match\` the service rejects the request (412) if somebody else changed the row. ${shapes}`,
      parameters: [...select, 'Prefer', its('If-Match')],
      answers: changeAnswers(list),
      errors: [404, ...WRITE_ERRORS],
    }),
    options: options(idOf('options_one_of'), name, [403, 414, 429]),
  };
}

/** The meaning of a list of changes, which names rows by their key. */
function listWords(collection: Collection): string {
  if (collection.key.length === 0) return 'Rows have no key, so the service rejects a request without a filter. ';
  return `Without a filter the body is a list: each object names its row by ${keyNames(collection)}, or by the fields of \`on_conflict\`, and sets its other fields. The service rejects one object without a filter. With a filter and \`If-Match: *\` it rejects a list (412) unless each of its rows passes the filter. `;
}

/** A sentence for each field of the key that the service fills in. */
function assignedWords({ assigned, key }: Collection): string {
  const assignedFields = key.filter(
    (field) => field === assigned || field.generated !== undefined || field.default !== undefined,
  );
  return assignedFields.map(({ name }) => `A row without ${name} is assigned one. `).join('');
}
