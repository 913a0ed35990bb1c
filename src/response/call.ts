/** The answer to a call of a function: nothing, a value, an object, or a list. */
import type { DatabaseFunction, FunctionResult } from '../collection/declaration.ts';
import type { Encoding } from '../encode/encoding.ts';
import type { ReadResult } from '../engine/engine.ts';
import type { Answer } from '../http/answer.ts';
import { CORS_HEADERS } from '../http/edge/cors.ts';
import { contentTypeOf, type Media } from '../http/negotiate.ts';
import type { ReadPlan } from '../plan/types.ts';
import { encodingOf } from './body.ts';
import { preferenceApplied } from './headers.ts';
import { type ListRead, listAnswer, withChosen } from './read.ts';
import type { RequestContext } from './request-context.ts';

export function callEncoding(
  { returns }: DatabaseFunction,
  media: Media,
  { columns }: ReadPlan,
  context: RequestContext,
): Encoding {
  const encoding = encodingOf(media, columns, context);
  if (encoding.format !== 'json' || returns === undefined) return encoding;
  const bare = returns.isValue && columns.length === 1;
  return { ...encoding, bare, singular: !returns.many || encoding.singular === true };
}

/** `mediaType`: the value is the body. */
export function callAnswer(
  { returns }: DatabaseFunction,
  read: ListRead,
  result: ReadResult,
  mediaType: string | undefined,
): Answer {
  const { chosen } = result;
  const answer =
    returns === undefined
      ? nothing(read)
      : mediaType === undefined
        ? rows(returns.many, read, result)
        : bareBody(mediaType, returns, read, String(result.body));
  return withChosen(answer, chosen, read.context);
}

function nothing({ preferences }: ListRead): Answer {
  return { status: 204, headers: { ...CORS_HEADERS, ...preferenceApplied('read', preferences) }, body: null };
}

/** A single result that a filter excludes is null. */
function rows(many: boolean, read: ListRead, result: ReadResult): Answer {
  if (many || read.media.format !== 'json') return listAnswer(read, result);
  return listAnswer(
    { ...read, media: { ...read.media, singular: false } },
    { ...result, body: result.returned === 0 ? 'null' : result.body },
  );
}

/** A text, the bytes of a bytea, or JSON. */
function bareBody(mediaType: string, { collection }: FunctionResult, { preferences }: ListRead, json: string): Answer {
  const value: unknown = JSON.parse(json === '' ? 'null' : json);
  const isBytes = collection.fields[0]!.type.title === 'bytea';
  const body =
    typeof value !== 'string' ? (value === null ? '' : json) : isBytes ? Buffer.from(value.slice(2), 'hex') : value;
  return {
    status: 200,
    headers: {
      ...CORS_HEADERS,
      ...preferenceApplied('read', preferences),
      'content-type': contentTypeOf(mediaType),
      vary: 'Accept',
    },
    body,
    rows: 1,
  };
}
