/**
 * `PUT /products/1/image` uploads a file and sets the field; `POST /products/1/images` uploads files and appends them
 * to the list. Each is one transaction.
 */
import { runToEnd } from '../base/cooperative.ts';
import { nameOfPart } from '../base/net/query-string.ts';
import { type Catalogue, type Field, stored } from '../collection/declaration.ts';
import { fileKind } from '../collection/types/file.ts';
import type { Files } from '../files/files.ts';
import type { Answer } from '../http/answer.ts';
import { readCall, unsupportedMethod } from '../http/call.ts';
import { CORS_HEADERS, optionsHeaders } from '../http/edge/cors.ts';
import { positionHeader } from '../http/position.ts';
import { redactError } from '../response/redact-errors.ts';
import { type RequestContext, trackWork } from '../response/request-context.ts';
import { planCall, readWrite } from './planned-write.ts';

export interface FileTarget {
  /** The path of the row. */
  readonly row: string;
  readonly field: Field;
  readonly route: string;
}

/** The file field of a row that a path addresses; undefined for any other path, which is not for this request. */
export function fileTarget({ location }: RequestContext, { collections }: Catalogue): FileTarget | undefined {
  const [, row, name, last] = /^(\/([^/?]+)\/[^/?]+)\/([^/?]+)(?:\?|$)/.exec(location.path) ?? [];
  const collection = collections.get(nameOfPart(name ?? ''));
  const field = collection && stored(collection).byName.get(nameOfPart(last!));
  if (collection?.key.length !== 1 || field === undefined || fileKind(field.type) === undefined) return undefined;
  return { row: row!, field, route: `/${name}/:id/${last}` };
}

export async function putFile(
  files: Files,
  { row, field, route }: FileTarget,
  request: Request,
  visible: Catalogue,
  context: RequestContext,
): Promise<Answer> {
  context.route = route;
  const isList = field.type.element !== undefined;
  const allow = `OPTIONS, ${isList ? 'POST' : 'PUT'}`;
  if (context.method === 'OPTIONS') return { status: 200, headers: optionsHeaders(request, allow), body: null };
  if (!allow.endsWith(` ${context.method}`)) throw unsupportedMethod(context.method, allow);
  const call = readCall('PATCH', { prefix: context.location.prefix, path: row }, request, visible);
  const plan = (ids: readonly string[]) => {
    const document = { kind: 'json', value: { [field.name]: isList ? { append: ids } : ids[0] } } as const;
    return runToEnd(planCall(readWrite(call, 'PATCH', context), document, false, context));
  };
  // Planned first, so that a caller who may not set the field sends nothing.
  const planned = plan([crypto.randomUUID()]);
  context.setPlan(planned.plan);
  try {
    const { rows, isList: answersList, position } = await trackWork(context, files.put(field, request, context, plan));
    context.done('engine');
    const type = { 'content-type': 'application/json; charset=utf-8' };
    const headers = { ...CORS_HEADERS, ...type, ...positionHeader(position) };
    const body = JSON.stringify(answersList ? rows : rows[0]);
    return { status: isList ? 201 : 200, headers, body, rows: rows.length };
  } catch (error) {
    throw redactError(error, planned.plan, planned.collection);
  }
}
