/**
 * Caches responses to reads while the data does not change, in the content coding they were sent in. The cache key
 * covers the URL, the headers of Vary, and the caller's scope. The change counter is read before the rows, so a cached
 * response is never newer than its counter. Every lookup compares the counter; any commit by any process invalidates
 * the whole cache.
 */

import { MAX_CACHED_RESPONSE_BYTES, RESPONSE_CACHE_BYTES } from '../base/limits/http.ts';
import { counter, gauge, type Metric } from '../base/metric.ts';
import type { ChangeCounter } from '../engine/engine.ts';
import {
  type Body,
  encodeAnswer,
  headResponse,
  type Representation,
  responseWith,
  toResponse,
  unchangedResponse,
} from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import type { Accepted } from '../http/content-coding.ts';
import { isTimed } from '../plan/at-moment.ts';
import { andThen, type Handler, type RequestContext, type Responder } from './request-context.ts';

/** A response is built on the first hit: if writes are frequent, most entries have none. */
interface CachedAnswer {
  readonly head: Pick<Representation, 'status' | 'headers' | 'shared'>;
  /** The body, or the response, which is never sent itself; clones share its body. */
  whole: Body | Response;
  /** The 304 response for clients that have it already. */
  unchanged?: Response;
  readonly tag: string;
  readonly rows: number | undefined;
  readonly route: RequestContext['route'];
}

/** Hashes of recent requests: a response is cached on its second request, since many are requested only once. */
const SEEN = 8192;
/** The estimated size of an entry besides body and key. */
const OVERHEAD_BYTES = 2_000;

export class ResponseCache {
  private readonly answers = new Map<string, CachedAnswer>();
  private readonly seen = new Int32Array(SEEN);
  private bytes = 0;
  private hits = 0;
  private misses = 0;
  /** The change count of the cached responses. */
  private changeCount = Number.NaN;

  constructor(private readonly changes: ChangeCounter) {}

  /** Serves from the cache where possible. */
  around(answer: Handler): Responder {
    return (context) => {
      const { call } = context;
      const { accepted } = call;
      if (!call.isRead) return respond(answer, context, accepted);
      const key = answerKey(call, accepted, context.access?.scope);
      const changeCount = this.changes.current();
      const cached = this.find(key, changeCount);
      if (cached !== undefined) return cachedResponse(context, cached);
      context.changeCount = changeCount;
      return respond(answer, context, accepted, (made) => this.keep(key, changeCount, context, made));
    };
  }

  metrics(): Metric[] {
    return [
      gauge('kept_answers', 'Answers kept while the data does not change.', this.answers.size),
      gauge('kept_answers_bytes', 'Memory that they take.', this.bytes),
      counter('kept_answers_hits_total', 'Reads answered from them.', this.hits),
      counter('kept_answers_misses_total', 'Reads that were not.', this.misses),
    ];
  }

  private find(key: string, changeCount: number): CachedAnswer | undefined {
    if (changeCount !== this.changeCount) {
      this.clear();
      this.changeCount = changeCount;
    }
    const cached = this.answers.get(key);
    if (cached === undefined) this.misses++;
    else this.hits++;
    return cached;
  }

  /** `changeCount` is the one before the read. */
  private keep(key: string, changeCount: number, context: RequestContext, made: Representation): void {
    const { call, route, rows, plan } = context;
    const { plain } = made;
    const { etag: tag } = made.headers;
    if (typeof plain !== 'string' || tag === undefined || plain.length > MAX_CACHED_RESPONSE_BYTES) return;
    if (changeCount !== this.changeCount || !this.wasAsked(key)) return;
    // It may change without a write.
    if (plan !== undefined && isTimed(plan)) return;
    const { status, headers, shared } = made;
    const store = (length: number, whole: Body | Response) => {
      // The data may have changed during compression, or another request may have stored the entry.
      if (changeCount !== this.changeCount || this.answers.has(key)) return;
      const size = length + key.length * 4 + OVERHEAD_BYTES;
      if (this.bytes + size > RESPONSE_CACHE_BYTES) this.clear();
      this.answers.set(key, { head: { status, headers, shared }, whole, tag, rows, route });
      this.bytes += size;
    };
    const storeBody = (body: Body) => store(Buffer.byteLength(body as string | Uint8Array), body);
    const content = call.method === 'HEAD' ? null : made.content();
    if (content === null) store(0, headResponse(made));
    else if (content instanceof Promise) content.then(storeBody, () => undefined);
    else storeBody(content);
  }

  private clear(): void {
    this.answers.clear();
    this.bytes = 0;
  }

  private wasAsked(key: string): boolean {
    const hash = Number(Bun.hash.xxHash32(key)) | 0;
    const slot = (hash >>> 8) % SEEN;
    if (this.seen[slot] === hash) return true;
    this.seen[slot] = hash;
    return false;
  }
}

export function responder(answer: Handler): Responder {
  return (context) => respond(answer, context, context.call.accepted);
}

function respond(
  answer: Handler,
  context: RequestContext,
  accepted: Accepted | undefined,
  onRepresentation?: (representation: Representation) => void,
): ReturnType<Responder> {
  const answered = answer(context);
  const isAsync = answered instanceof Promise;
  return andThen(answered, (each) => {
    const representation = encodeAnswer(each, accepted);
    context.rows = each.rows;
    onRepresentation?.(representation);
    return andThen(toResponse(context.call, representation, isAsync), (response) => {
      context.done('response');
      return response;
    });
  });
}

/** The cache key; the most common requests get the shortest. */
function answerKey(call: Call, accepted: Accepted | undefined, scope: string | undefined): string {
  const { method, accept, prefer, range, languages } = call;
  const { prefix, path } = call.location;
  const isPlain =
    scope === undefined && prefix === '' && accepted === undefined && (accept === null || accept === '*/*');
  if (isPlain && method === 'GET' && prefer === null && range === null && languages?.shown === undefined) return path;
  const coding = accepted === undefined ? '' : `${accepted.coding}${accepted.from}`;
  return `${path}\n${prefix}\n${method}\n${coding}\n${accept ?? '*/*'}\n${prefer ?? ''}\n${range ?? ''}\n${languages?.shown ?? ''}\n${scope ?? ''}`;
}

function cachedResponse(context: RequestContext, kept: CachedAnswer): Response {
  context.route = kept.route;
  context.rows = kept.rows;
  if (context.call.has(kept.tag)) {
    kept.unchanged ??= unchangedResponse(kept.head);
    return kept.unchanged.clone() as Response;
  }
  const { whole } = kept;
  // As bytes, since a text would be encoded for each clone.
  if (!(whole instanceof Response))
    kept.whole = responseWith(typeof whole === 'string' ? Buffer.from(whole) : whole, kept.head);
  return (kept.whole as Response).clone() as Response;
}
