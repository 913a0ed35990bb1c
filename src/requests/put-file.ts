/** `PUT /products/1/image`: uploads a file and sets the field, in one transaction. */
import { runToEnd } from '../base/cooperative.ts';
import { type Catalogue, type Field, stored } from '../collection/declaration.ts';
import type { Files } from '../files/files.ts';
import type { Answer } from '../http/answer.ts';
import { readCall } from '../http/call.ts';
import { CORS_HEADERS, optionsHeaders } from '../http/edge/cors.ts';
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
export function fileTarget({ method, location }: RequestContext, { collections }: Catalogue): FileTarget | undefined {
  if (method !== 'PUT' && method !== 'OPTIONS') return undefined;
  const [, row, name, last] = /^(\/([^/?]+)\/[^/?]+)\/([^/?]+)(?:\?|$)/.exec(location.path) ?? [];
  const collection = collections.get(name ?? '');
  const field = collection && stored(collection).byName.get(last!);
  if (collection?.key.length !== 1 || field?.type.file === undefined) return undefined;
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
  if (context.method === 'OPTIONS') {
    return { status: 200, headers: optionsHeaders(request, 'OPTIONS, PUT'), body: null };
  }
  const id = crypto.randomUUID();
  const call = readCall('PATCH', { prefix: context.location.prefix, path: row }, request, visible);
  // Planned first, so that a caller who may not set the field sends nothing.
  const document = { kind: 'json', value: { [field.name]: id } } as const;
  const planned = runToEnd(planCall(readWrite(call, 'PATCH', context), document, false, context));
  context.setPlan(planned.plan);
  try {
    const file = await trackWork(context, files.put(id, field, request, context, planned));
    context.done('engine');
    const headers = { ...CORS_HEADERS, 'content-type': 'application/json; charset=utf-8' };
    return { status: 200, headers, body: JSON.stringify(file), rows: 1 };
  } catch (error) {
    throw redactError(error, planned.plan, planned.collection);
  }
}
