/** Plans the requests of a batch, each like a single write, and connects those that use values of earlier ones. */

import type { Task } from '../base/cooperative.ts';
import { ApiError, withRequest } from '../base/errors.ts';
import { MAX_BODY_ROWS } from '../base/limits/http.ts';
import type { Catalogue } from '../collection/declaration.ts';
import { withSentValue } from '../dialect/payload.ts';
import { parsePrefer } from '../dialect/prefer.ts';
import { parseQuery } from '../dialect/query.ts';
import type { Query } from '../dialect/tree.ts';
import type { Document } from '../encode/document.ts';
import { type BatchRequest, invalidBatch } from '../http/batch-call.ts';
import { BODY_TYPES, readDocument } from '../http/body/parse-body.ts';
import { Call, pathAndQuery } from '../http/call.ts';
import { findRows } from '../http/rows.ts';
import { resolveField } from '../plan/resolve.ts';
import { type EarlierValue, earlierValuesIn, takeEarlierValues } from '../plan/write/earlier-value.ts';
import type { RequestContext } from '../response/request-context.ts';
import type { PlannedWrite } from '../response/write.ts';
import { planCall, readWrite, type WriteCall, withoutHiddenColumns } from './planned-write.ts';

/** A slice takes a few milliseconds. */
export const REQUESTS_PER_SLICE = 20;

interface BatchOptions {
  /** The catalogue as the caller sees it. */
  readonly seen: Catalogue;
  readonly allowUnfiltered: boolean;
  readonly context: RequestContext;
  /** The rights of the requests; absent if everything is permitted. */
  readonly access: RequestContext['access'];
}

/** A request whose filter is bound to values after it is parsed. */
export interface BoundRequest extends BatchRequest {
  readonly bind?: (query: Query) => Query;
}

/** A request of the batch before planning. */
interface ReadRequest {
  readonly write: WriteCall;
  readonly document: Document | undefined;
  readonly affects: number | undefined;
  readonly uses: readonly EarlierValue[];
}

export class BatchPlanner {
  private readonly read: ReadRequest[] = [];
  /** The columns that later requests use, by request. */
  private readonly used = new Map<number, Set<string>>();

  constructor(
    private readonly requests: readonly BoundRequest[],
    /** The preferences of the batch, which hold for each request that does not state its own. */
    private readonly prefer: string | null,
    private readonly terms: BatchOptions,
  ) {}

  *plan(): Task<readonly PlannedWrite[]> {
    for (const [index, request] of this.requests.entries()) {
      if (index % REQUESTS_PER_SLICE === 0) yield;
      this.read.push(yield* atRequest(index, this.readOne(request, index)));
    }
    const writes: PlannedWrite[] = [];
    let rows = 0;
    for (const [index, request] of this.read.entries()) {
      if (index % REQUESTS_PER_SLICE === 0) yield;
      for (const { request: from, column } of request.uses) {
        yield* atRequest(index, checkReturned(writes[from]!, from, column));
      }
      const write = yield* atRequest(index, this.planOne(request, this.used.get(index)));
      if (write.plan.kind === 'insert') rows += write.plan.rows.length;
      if (write.plan.kind === 'update-each') rows += write.plan.changes.length;
      if (rows > MAX_BODY_ROWS) throw tooManyRows();
      writes.push(write);
    }
    return writes;
  }

  /** Adds the value of the body that an error is about, if the caller may learn of it. */
  async shownError(error: unknown): Promise<unknown> {
    const failed = error instanceof ApiError && error.request !== undefined ? this.read[error.request] : undefined;
    if (failed === undefined) return error;
    const { document, write } = failed;
    const shown = await withoutHiddenColumns(error, write, this.terms);
    return withSentValue(shown, document, write.query.columns);
  }

  private *readOne({ method, path, headers, body, affects, bind }: BoundRequest, index: number): Task<ReadRequest> {
    const { context, seen, access } = this.terms;
    const { prefix } = context.call.location;
    // As in Location, the path may begin with the prefix.
    const within = path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
    const location = { prefix, path: pathAndQuery(within) };
    if (parsePrefer(headers.get('prefer')).tx !== undefined) {
      throw invalidBatch('Prefer: tx concerns the whole batch', 'Send it as a header of the batch.');
    }
    if (this.prefer !== null) headers.append('prefer', this.prefer);
    const call = new Call(method, location, headers);
    // An action means the fields that it names.
    if (bind === undefined) call.languages = context.call.languages;
    const parsed = readWrite(call, findRows(call, seen), { access, caller: context.caller });
    const write = bind === undefined ? parsed : { ...parsed, query: bind(parsed.query) };
    const document = method === 'DELETE' ? undefined : yield* documentOf(body, call.contentType);
    // The values of an action are not parsed: a caller chose some of them.
    const usesOf = bind === undefined ? takeEarlierValues : earlierValuesIn;
    const uses = document?.kind === 'json' ? usesOf(document.value, index) : [];
    for (const use of uses) this.use(use);
    return { write, document, affects, uses };
  }

  private use({ request, column }: EarlierValue): void {
    const { write } = this.read[request]!;
    if (!isSelective(write)) resolveField(write.collection, column);
    this.used.set(request, (this.used.get(request) ?? new Set()).add(column));
  }

  private *planOne(request: ReadRequest, used: Set<string> | undefined): Task<PlannedWrite> {
    const { write, document, affects, uses } = request;
    const { access, allowUnfiltered, context } = this.terms;
    const rights = { access, engine: context.engine };
    const asked = used === undefined ? write : returning(write, used);
    const planned = yield* planCall(asked, document, allowUnfiltered, rights);
    // A batch reports its first error.
    const { errors: _, ...preferences } = write.preferences;
    return {
      ...planned,
      preferences,
      plan: affects === undefined ? planned.plan : { ...planned.plan, affects },
      ...(uses.length === 0 ? {} : { isDependent: true }),
    };
  }
}

/** The body of a request: JSON as it is, or a text of another content type. */
function* documentOf(body: unknown, contentType: string | null): Task<Document> {
  const type = (contentType ?? 'application/json').split(';', 1)[0]!.trim().toLowerCase();
  if (type.endsWith('json') && BODY_TYPES.includes(type)) return { kind: 'json', value: body };
  if (typeof body === 'string') return yield* readDocument(new TextEncoder().encode(body), contentType);
  throw invalidBatch(`the body of a request with ${type} is a text`, 'Send it as a JSON string, or the rows as JSON.');
}

/** Lets a request return the columns that later ones use. Those that the client selects are checked later. */
function returning(write: WriteCall, used: Set<string>): WriteCall {
  const preferences = { ...write.preferences, return: 'representation' } as const;
  const request = { ...write.request, preferences };
  if (isSelective(write)) return { ...write, request };
  const columns = [...used].map((column) => encodeURIComponent(`"${column}"`));
  const { select } = parseQuery(`select=${columns.join(',')}`);
  return { ...write, query: { ...write.query, select }, request };
}

/** Whether the client chooses the rows that the request returns. */
function isSelective({ call, preferences }: WriteCall): boolean {
  return preferences.return === 'representation' || /(?:^|&)select=/.test(call.query);
}

function* checkReturned({ plan, media }: PlannedWrite, request: number, column: string): Task<void> {
  if (media.format !== 'json') throw invalidBatch(`request ${request} returns ${media.format}`, '$from needs JSON.');
  if (plan.returning?.columns.some(({ name }) => name === column)) return;
  throw new ApiError('42703', `request ${request} does not return ${column}`, { hint: 'Add it to its select.' });
}

/** Adds the index of the request to errors. */
function* atRequest<T>(index: number, work: Task<T>): Task<T> {
  try {
    return yield* work;
  } catch (error) {
    throw withRequest(error, index);
  }
}

function tooManyRows(): ApiError {
  return new ApiError('54000', `a batch may hold ${MAX_BODY_ROWS} rows`, {
    nothingChanged: true,
    hint: 'Send several batches, or store the rows with catalogue import.',
  });
}
