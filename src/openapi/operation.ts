/** What the routes share: how an operation is written, its bodies, its answers. */
import type { Collection } from '../collection/declaration.ts';
import type { Row } from '../collection/value.ts';
import { BODY_TYPES } from '../http/body.ts';
import type { JsonObject } from './json.ts';
import { codesByStatus, type ResponseHeader, withHeaders } from './responses.ts';

interface Draft {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly string[];
  readonly body?: JsonObject;
  /** Good answers by status. */
  readonly answers: Readonly<Record<string, JsonObject>>;
  /** Refusals that only some requests can meet. */
  readonly refusals: readonly number[];
}

/** Refusals that depend on what is asked; every other status of the catalogue can meet any request. */
const PARTICULAR: readonly number[] = [404, 406, 409, 412, 413, 415, 416, 422, 507];
export const WRITE_REFUSALS = [406, 409, 507];
export const BODY_REFUSALS = [413, 415];

export function operation({ id, tag, summary, description, parameters, body, answers, refusals }: Draft): JsonObject {
  const statuses = [...codesByStatus().keys()].filter(
    (status) => !PARTICULAR.includes(status) || refusals.includes(status),
  );
  const errors = statuses.map((status) => [status, { $ref: `#/components/responses/Error${status}` }]);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    parameters: parameters.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { ...Object.fromEntries(errors), ...answers },
  };
}

export function options(id: string): JsonObject {
  return operation({
    id,
    tag: 'Describe',
    summary: 'What may be done here',
    parameters: [],
    answers: { '200': withHeaders('The methods, and for a page of another origin what it may send.', ['Allow']) },
    refusals: [],
  });
}

export function changeAnswers(
  content: JsonObject,
  more: readonly ResponseHeader[] = [],
): Readonly<Record<string, JsonObject>> {
  const headers: readonly ResponseHeader[] = ['Preference-Applied', 'Content-Range', 'ETag', ...more];
  return {
    '200': withHeaders('Done; the rows, as `Prefer: return=representation` asks for them.', headers, content),
    '204': withHeaders('Done.', headers),
  };
}

export function changes(collection: Collection, samples: readonly Row[]): JsonObject {
  const field = collection.fields.find((each) => each !== collection.key) ?? collection.key;
  const one = { $ref: '#/components/schemas/Changes' };
  return jsonBody([one, { type: 'array', items: one }], { one: { [field.name]: samples[0]?.[field.name] ?? null } });
}

/** A row as one would create it: without the key, which the service assigns. */
export function newRow({ key }: Collection, sample: Row | undefined): Row {
  return Object.fromEntries(Object.entries(sample ?? {}).filter(([name]) => name !== key.name));
}

export function jsonBody(
  schemas: readonly JsonObject[],
  examples: Readonly<Record<string, JsonObject | readonly Row[]>>,
): JsonObject {
  const schema: JsonObject = schemas.length === 1 ? schemas[0]! : { oneOf: schemas };
  const content = BODY_TYPES.map((type) => {
    if (!type.endsWith('json')) return [type, { schema: { type: 'string' } }];
    return [
      type,
      { schema, examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])) },
    ];
  });
  return { required: true, content: Object.fromEntries(content) };
}
