/** The stages of one write that a single request and each request of a batch share. */

import type { Task } from '../base/cooperative.ts';
import type { Report } from '../base/error-list.ts';
import { ApiError, withRequest } from '../base/errors.ts';
import { pathPart } from '../base/net/query-string.ts';
import type { Collection } from '../collection/declaration.ts';
import { servedName } from '../collection/files.ts';
import type { Preferences } from '../dialect/prefer.ts';
import { parseQuery } from '../dialect/query.ts';
import type { Query } from '../dialect/tree.ts';
import type { Document } from '../encode/document.ts';
import type { Engine, Write, WriteOptions, WriteResult } from '../engine/engine.ts';
import type { Call } from '../http/call.ts';
import type { Media } from '../http/negotiate.ts';
import type { Rows } from '../http/rows.ts';
import { NO_COLUMNS } from '../plan/read/shape.ts';
import { checkRights, planWrite, type WriteMethod } from '../plan/write/write.ts';
import type { WriteRequest } from '../plan/write/write-request.ts';
import { encodingOf } from '../response/body.ts';
import { redactError } from '../response/redact-errors.ts';
import type { RequestContext } from '../response/request-context.ts';
import type { WriteAsked } from '../response/write.ts';

/** A write without its body. */
export interface WriteCall {
  readonly call: Call;
  readonly collection: Collection;
  readonly media: Media;
  readonly preferences: Preferences;
  readonly query: Query;
  readonly request: Omit<WriteRequest, 'query' | 'allowUnfiltered'>;
}

export type PlannedWrite = WriteAsked & Write;

type Rights = Pick<RequestContext, 'access'>;

/** Parses path and headers, and rejects a write that no rule of the role allows. */
export function readWrite(call: Call, { collection, key }: Rows, { access }: Rights): WriteCall {
  const { media, preferences, isCreateOnly: createOnly, ifMatch } = call;
  const addressed = { preferences, createOnly, ...(key === undefined ? {} : { item: key }) };
  checkRights(collection, call.method as WriteMethod, addressed, access?.permissions);
  const query = parseQuery(call.query);
  const request = {
    ...addressed,
    url: `${call.location.prefix}/${pathPart(servedName(collection.name))}`,
    singular: media.singular,
    ...(ifMatch === undefined ? {} : { ifMatch }),
  };
  return { call, collection, media, preferences, query, request };
}

export function* planCall(
  { call, collection, media, preferences, query, request }: WriteCall,
  document: Document | undefined,
  allowUnfiltered: boolean,
  { access }: Rights,
  report?: Report,
): Task<PlannedWrite> {
  const method = call.method as WriteMethod;
  const { prefix } = call.location;
  const asked = { ...request, query, allowUnfiltered, ...(report === undefined ? {} : { report }) };
  const plan = yield* planWrite(collection, method, asked, document, access?.permissions);
  const encoding = encodingOf(media, plan.returning?.columns ?? NO_COLUMNS);
  return { collection, prefix, method, media, preferences, plan, encoding };
}

/** Errors are redacted for callers who do not see everything. */
export async function execute(
  engine: Engine,
  writes: readonly PlannedWrite[],
  terms: WriteOptions,
): Promise<readonly WriteResult[]> {
  try {
    return await engine.write(writes, terms);
  } catch (error) {
    const request = error instanceof ApiError ? error.request : undefined;
    const { plan, collection } = writes[request ?? 0]!;
    const redacted = redactError(error, plan, collection);
    throw request === undefined ? redacted : withRequest(redacted, request);
  }
}
