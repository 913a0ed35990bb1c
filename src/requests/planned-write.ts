/** The stages of one write that a single request and each request of a batch share. */

import type { Task } from '../base/cooperative.ts';
import { FAIL, type Report } from '../base/error-list.ts';
import { ApiError, onError } from '../base/errors.ts';
import { pathPart } from '../base/net/query-string.ts';
import { ANONYMOUS, ownerOf } from '../collection/access/caller.ts';
import { tableDenied } from '../collection/access/permission-errors.ts';
import type { Collection } from '../collection/declaration.ts';
import { servedName } from '../collection/files.ts';
import type { Preferences } from '../dialect/prefer.ts';
import type { Query } from '../dialect/tree.ts';
import type { Document } from '../encode/document.ts';
import type { Engine, WriteOptions, WriteResult } from '../engine/engine.ts';
import type { Call } from '../http/call.ts';
import type { Media } from '../http/negotiate.ts';
import type { Rows } from '../http/rows.ts';
import { NO_COLUMNS } from '../plan/read/shape.ts';
import { checkRights, planWrite, type WriteMethod } from '../plan/write/write.ts';
import type { WriteRequest } from '../plan/write/write-request.ts';
import type { WritePlan } from '../plan/write-plan.ts';
import { encodingOf } from '../response/body.ts';
import { redactError, withoutHiddenField } from '../response/redact-errors.ts';
import type { RequestContext } from '../response/request-context.ts';
import type { PlannedWrite } from '../response/write.ts';

/** A write without its body. */
export interface WriteCall {
  readonly call: Call;
  readonly collection: Collection;
  readonly media: Media;
  readonly preferences: Preferences;
  readonly query: Query;
  readonly request: Omit<WriteRequest, 'query' | 'allowUnfiltered'>;
}

type Rights = Pick<RequestContext, 'access' | 'caller'>;

/** Parses path and headers, and rejects a write that no rule of the role allows. */
export function readWrite(
  call: Call,
  { collection, key }: Rows,
  { access, caller = ANONYMOUS }: Rights,
  media: Media = call.media,
): WriteCall {
  const { preferences, isCreateOnly: createOnly, ifMatch } = call;
  const addressed = { preferences, createOnly, ...(key === undefined ? {} : { item: key }) };
  checkRights(collection, call.method as WriteMethod, addressed, access?.permissions);
  const query = call.parseQuery();
  const request = {
    ...addressed,
    url: `${call.location.prefix}/${pathPart(servedName(collection.name))}`,
    singular: media.singular,
    author: ownerOf(caller),
    ...(call.languages?.written === undefined ? {} : { language: call.languages.written }),
    ...(ifMatch === undefined ? {} : { ifMatch }),
  };
  return { call, collection, media, preferences, query, request };
}

export function* planCall(
  { call, collection, media, preferences, query, request }: WriteCall,
  document: Document | undefined,
  allowUnfiltered: boolean,
  { access, engine }: Pick<RequestContext, 'access' | 'engine'>,
  report = FAIL,
): Task<PlannedWrite> {
  const method = call.method as WriteMethod;
  const { prefix } = call.location;
  const redacted: Report = (error) => report(withoutHiddenField(error, collection));
  const asked = { ...request, query, allowUnfiltered, report: redacted };
  const plan = yield* planWrite(collection, method, asked, document, access?.permissions);
  const encoding = encodingOf(media, plan.returning?.columns ?? NO_COLUMNS, { engine });
  return { collection, prefix, method, media, preferences, plan, encoding };
}

const WRITE_RIGHTS = { POST: 'create', PUT: 'create', PATCH: 'update', DELETE: 'delete' } as const;

/** The error, unless it describes columns of a table that the caller's role of the database may not write. */
export async function withoutHiddenColumns(
  error: unknown,
  { call, collection: { name } }: WriteCall,
  { access }: Pick<RequestContext, 'access'>,
): Promise<unknown> {
  const isAboutColumns = error instanceof ApiError && error.code !== '42501' && /^\d|^CAT400R$/.test(error.code);
  if (!isAboutColumns || access?.described === undefined) return error;
  const rights = (await access.described()).collections.get(name)?.view?.rights;
  if (rights?.includes(WRITE_RIGHTS[call.method as WriteMethod])) return error;
  const asAnonymous = { status: 401, headers: { 'www-authenticate': 'Bearer' } };
  return tableDenied(name).with(access.isAnonymous === true ? asAnonymous : {});
}

/** Errors are redacted for callers who do not see everything. */
export async function execute(
  engine: Engine,
  writes: readonly PlannedWrite[],
  terms: WriteOptions,
): Promise<readonly WriteResult[]> {
  return onError(
    ApiError,
    async () => engine.write(writes, terms),
    (error) => {
      const { plan, collection } = writes[error.request ?? 0]!;
      throw redactError(error, plan, collection);
    },
  );
}

const ROW_BYTES = 100;
const CELL_BYTES = 16;
/** Each change of a bulk update may need its own statement. */
const CHANGE_BYTES = 1_000;

export function planBytes(plan: WritePlan): number {
  if (plan.kind === 'insert') return plan.rows.length * (ROW_BYTES + CELL_BYTES * plan.into.fields.length);
  return plan.kind === 'update-each' ? plan.changes.length * CHANGE_BYTES : 0;
}
