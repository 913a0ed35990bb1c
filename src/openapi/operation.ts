/** Operations: their form, and the answers that they share. */
import type { JsonObject } from './json.ts';
import { headError, type ResponseHeader, withHeaders } from './responses.ts';

export interface Draft {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Names in `components.parameters`. */
  readonly parameters: readonly string[];
  /** A name in `components.requestBodies`. */
  readonly body?: string;
  /** Successful answers by status. */
  readonly answers: Readonly<Record<string, JsonObject>>;
  /** Error statuses of this operation, in addition to those of every operation. */
  readonly errors: readonly number[];
}

/** Errors of every operation: a wrong `Host`, and an internal error. */
const COMMON_ERRORS = [421, 500];
/** Errors of operations that read the database. */
export const READ_ERRORS = [300, 400, 403, 406, 414, 429, 503, 504];
export const WRITE_ERRORS = [...READ_ERRORS, 409, 412, 507];
export const BODY_ERRORS = [413, 415];

export function operation({ errors, ...draft }: Draft): JsonObject {
  return operationOf(draft, errors, (status) => ({ $ref: `#/components/responses/Error${status}` }));
}

/** HEAD is GET without bodies, and without `Range`, which only GET has (RFC 9110, 14.2). */
export function head(get: Draft, { id, summary }: Pick<Draft, 'id' | 'summary'>): JsonObject {
  const answers = Object.entries(get.answers).map(([status, { content: _, ...answer }]) => [status, answer]);
  const draft = {
    ...get,
    id,
    summary,
    description: 'Answers as GET does, with the same status and headers, but without a body.',
    parameters: get.parameters.filter((name) => name !== 'Range'),
    answers: Object.fromEntries(answers),
  };
  return operationOf(draft, get.errors, headError);
}

function operationOf(
  { id, tag, summary, description, parameters, body, answers }: Omit<Draft, 'errors'>,
  errors: readonly number[],
  errorOf: (status: number) => JsonObject,
): JsonObject {
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    parameters: parameters.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ...(body === undefined ? {} : { requestBody: { $ref: `#/components/requestBodies/${body}` } }),
    responses: {
      ...answers,
      ...Object.fromEntries([...errors, ...COMMON_ERRORS].map((status) => [status, errorOf(status)])),
    },
  };
}

/** A path that only reads: GET, HEAD and OPTIONS. */
export function readOnlyPath(get: Draft, headSummary: string, optionsErrors?: readonly number[]): JsonObject {
  return {
    get: operation(get),
    head: head(get, { id: `head_of_${get.id}`, summary: headSummary }),
    options: options(`options_of_${get.id}`, 'Describe', optionsErrors),
  };
}

export function options(id: string, tag = 'Describe', errors: readonly number[] = [403, 429]): JsonObject {
  return operation({
    id,
    tag,
    summary: 'The methods of this path',
    description:
      'Lists the methods of this path. A browser sends it before a page of another origin sends a request (CORS).',
    parameters: [],
    answers: { '200': withHeaders('The methods, and the headers that a page of another origin may send.', ['Allow']) },
    errors,
  });
}

export function changeAnswers(
  content: JsonObject,
  more: readonly ResponseHeader[] = [],
): Readonly<Record<string, JsonObject>> {
  const headers: readonly ResponseHeader[] = ['Preference-Applied', 'Content-Range', 'ETag', ...more];
  return {
    '200': withHeaders('Done. The body has the rows that `Prefer: return=representation` asks for.', headers, content),
    '204': withHeaders('Done.', headers),
  };
}
