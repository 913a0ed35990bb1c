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
import { CORS_HEADERS } from '../http/edge/origins.ts';
import { answerOptions } from '../http/methods.ts';
import { type Rows, routeOf } from '../http/rows.ts';
import type { RowsTarget } from '../http/target.ts';
import { redactError } from '../response/redact-errors.ts';
import { type RequestContext, trackWork } from '../response/request-context.ts';
import { planCall, readWrite } from './planned-write.ts';

interface FileField extends Rows {
  readonly field: Field;
}

/** The file field of a row that a path addresses, if the caller sees it. */
export function fileField(target: RowsTarget, { collections }: Catalogue): FileField | undefined {
  const collection = target.isOwn ? undefined : collections.get(nameOfPart(target.name));
  const field = collection && stored(collection).byName.get(nameOfPart(target.field!));
  if (collection?.key.length !== 1 || field === undefined || fileKind(field.type) === undefined) return undefined;
  return { collection, key: nameOfPart(target.key!), field };
}

export async function putFile(files: Files, { field, ...rows }: FileField, context: RequestContext): Promise<Answer> {
  const { call } = context;
  context.route = `${routeOf(rows)}/${field.name}`;
  const isList = field.type.element !== undefined;
  const options = answerOptions(call, ['OPTIONS', isList ? 'POST' : 'PUT']);
  if (options !== undefined) return options;
  const write = readWrite(call.at({ ...call.location, path: '' }, 'PATCH'), rows, context);
  const plan = (ids: readonly string[]) => {
    const document = { kind: 'json', value: { [field.name]: isList ? { append: ids } : ids[0] } } as const;
    return runToEnd(planCall(write, document, false, context));
  };
  // Planned first, so that a caller who may not set the field sends nothing.
  const planned = plan([crypto.randomUUID()]);
  context.setPlan(planned.plan);
  try {
    const stored = await trackWork(context, files.put(field, context, plan));
    context.done('transaction');
    const type = { 'content-type': 'application/json; charset=utf-8' };
    const headers = { ...CORS_HEADERS, ...type, ...stored.headers };
    const body = JSON.stringify(stored.isList ? stored.rows : stored.rows[0]);
    return { status: isList ? 201 : 200, headers, body, rows: stored.rows.length };
  } catch (error) {
    throw redactError(error, planned.plan, planned.collection);
  }
}
