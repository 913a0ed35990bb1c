/** The stages of one write that a single request and each request of a batch share. */

import type { Task } from '../base/cooperative.ts';
import type { Report } from '../base/error-list.ts';
import { ApiError, withRequest } from '../base/errors.ts';
import { pathPart } from '../base/net/query-string.ts';
import { servedName } from '../collection/files.ts';
import { type Preferences, parsePrefer } from '../dialect/prefer.ts';
import { parseQuery } from '../dialect/query.ts';
import type { Query } from '../dialect/tree.ts';
import type { Document } from '../encode/document.ts';
import type { Engine, Write, WriteOptions, WriteResult } from '../engine/engine.ts';
import type { Call } from '../http/call.ts';
import { isCreateOnly, readIfMatch } from '../http/conditional.ts';
import { type Media, negotiate } from '../http/negotiate.ts';
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
  readonly method: WriteMethod;
  readonly media: Media;
  readonly preferences: Preferences;
  readonly query: Query;
  readonly request: Omit<WriteRequest, 'query' | 'allowUnfiltered'>;
}

export type PlannedWrite = WriteAsked & Write;

/** Parses path and headers, and rejects a write that no rule of the role allows. */
export function readWrite(call: Call, method: WriteMethod, { access }: RequestContext): WriteCall {
  const { collection, prefix } = call;
  const { headers } = call.request;
  const media = negotiate(headers.get('accept'));
  const preferences = parsePrefer(headers.get('prefer'));
  const addressed = {
    preferences,
    createOnly: isCreateOnly(call),
    ...(call.target.kind === 'item' ? { item: call.target.key } : {}),
  };
  checkRights(collection, method, addressed, access?.permissions);
  const query = parseQuery(call.query);
  const ifMatch = readIfMatch(call);
  const request = {
    ...addressed,
    url: `${prefix}/${pathPart(servedName(collection.name))}`,
    singular: media.singular,
    ...(ifMatch === undefined ? {} : { ifMatch }),
  };
  return { call, method, media, preferences, query, request };
}

export function* planCall(
  { call, method, media, preferences, query, request }: WriteCall,
  document: Document | undefined,
  allowUnfiltered: boolean,
  { access }: RequestContext,
  report?: Report,
): Task<PlannedWrite> {
  const { collection, prefix } = call;
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
