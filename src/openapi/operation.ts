/** What the routes share: how an operation is written, and what it is answered with. */
import type { JsonObject } from './json.ts';
import { bodilessRefusal, type ResponseHeader, withHeaders } from './responses.ts';

export interface Draft {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Names in `components.parameters`. */
  readonly parameters: readonly string[];
  /** A name in `components.requestBodies`. */
  readonly body?: string;
  /** Good answers by status. */
  readonly answers: Readonly<Record<string, JsonObject>>;
  /** Statuses of the error catalogue that a request can meet, besides those that any request can. */
  readonly refusals: readonly number[];
}

/** A Host that is no name of the service, and a fault of it. */
const ANYWHERE = [421, 500];
/** Where the database is asked. */
export const READ_REFUSALS = [300, 400, 403, 406, 414, 429, 503, 504];
export const WRITE_REFUSALS = [...READ_REFUSALS, 409, 412, 507];
export const BODY_REFUSALS = [413, 415];

export function operation({ refusals, ...draft }: Draft): JsonObject {
  return written(draft, refusals, (status) => ({ $ref: `#/components/responses/Error${status}` }));
}

/** HEAD is GET without bodies, and without `Range`, which is for GET alone (RFC 9110, 14.2). */
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
  return written(draft, get.refusals, bodilessRefusal);
}

function written(
  { id, tag, summary, description, parameters, body, answers }: Omit<Draft, 'refusals'>,
  refusals: readonly number[],
  refusal: (status: number) => JsonObject,
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
      ...Object.fromEntries([...refusals, ...ANYWHERE].map((status) => [status, refusal(status)])),
    },
  };
}

export function options(id: string, tag = 'Describe', refusals: readonly number[] = [403, 429]): JsonObject {
  return operation({
    id,
    tag,
    summary: 'What may be done here',
    description:
      'Lists the methods of this path. A browser asks it before a page of another origin sends a request (CORS).',
    parameters: [],
    answers: { '200': withHeaders('The methods, and for a page of another origin what it may send.', ['Allow']) },
    refusals,
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
