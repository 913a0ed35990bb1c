/**
 * Answers to reads, kept while the data does not change. An answer is found by all that it depends on: the URL and the
 * headers named in Vary. The mark of the data is taken before the rows are read, so that an answer is never newer than
 * it says; one look at the mark before an answer is given again, and a commit by anyone has made all of them stale.
 */
import type { ChangeMark, Reading } from '../engine/engine.ts';
import { noneMatches } from '../http/conditional.ts';
import { MAX_KEPT_ANSWER_BYTES, MAX_KEPT_BYTES } from '../limits.ts';
import { type Answer, headResponse, REQUEST_ID } from './answer.ts';

interface KeptAnswer {
  readonly init: { readonly status: number; readonly headers: Headers };
  readonly body: Uint8Array | Blob;
  readonly length: number;
  readonly etag: string;
  readonly rows: number;
}

const encoder = new TextEncoder();
const SHARED_BYTES = 4096;

/** Requests remembered by a hash: one that comes a second time is worth keeping, and few come only once. */
const REMEMBERED = 8192;

export class KeptAnswers {
  private readonly answers = new Map<string, KeptAnswer>();
  private readonly asked = new Int32Array(REMEMBERED);
  private bytes = 0;
  private hits = 0;
  private misses = 0;
  private mark = Number.NaN;

  constructor(private readonly changes: ChangeMark) {}

  /** The mark that an answer read from now on belongs to. */
  currentMark(): number {
    const mark = this.changes.current();
    if (mark !== this.mark) {
      this.answers.clear();
      this.bytes = 0;
      this.mark = mark;
    }
    return mark;
  }

  find(key: string): KeptAnswer | undefined {
    this.currentMark();
    const kept = this.answers.get(key);
    if (kept === undefined) this.misses++;
    else this.hits++;
    return kept;
  }

  readings(): Reading[] {
    return [
      {
        name: 'kept_answers',
        kind: 'gauge',
        help: 'Answers kept while the data does not change.',
        value: this.answers.size,
      },
      { name: 'kept_answers_bytes', kind: 'gauge', help: 'Memory that they take.', value: this.bytes },
      { name: 'kept_answers_hits_total', kind: 'counter', help: 'Reads answered from them.', value: this.hits },
      { name: 'kept_answers_misses_total', kind: 'counter', help: 'Reads that were not.', value: this.misses },
    ];
  }

  keep(key: string, mark: number, { status, headers, body, rows }: Answer): void {
    if (typeof body !== 'string' || body.length > MAX_KEPT_ANSWER_BYTES || mark !== this.mark) return;
    if (!this.wasAsked(key)) return;
    const bytes = encoder.encode(body);
    const size = bytes.length + key.length * 4 + 1000;
    if (this.bytes + size > MAX_KEPT_BYTES) {
      this.answers.clear();
      this.bytes = 0;
    }
    const init = { status, headers: new Headers(headers) };
    // The bytes of a blob are shared by all responses that send them, those of an array copied for each. Few are copied sooner.
    const kept = bytes.length < SHARED_BYTES ? bytes : new Blob([bytes]);
    this.answers.set(key, { init, body: kept, length: bytes.length, etag: headers.etag ?? '', rows });
    this.bytes += size;
  }

  private wasAsked(key: string): boolean {
    // Of our own: to hand a text to a native function costs more than to read it.
    let hash = key.length;
    for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
    const slot = (hash >>> 8) % REMEMBERED;
    if (this.asked[slot] === hash) return true;
    this.asked[slot] = hash;
    return false;
  }
}

/** What an answer depends on; what most clients send makes the shortest key. */
export function answerKey(method: string, url: string, headers: Headers): string {
  const accept = headers.get('accept');
  const prefer = headers.get('prefer');
  const range = headers.get('range');
  if (method === 'GET' && prefer === null && range === null && (accept === null || accept === '*/*')) return url;
  return `${url}\n${method}\n${accept ?? '*/*'}\n${prefer ?? ''}\n${range ?? ''}`;
}

export function keptResponse(request: Request, kept: KeptAnswer, id: string | undefined): Response {
  const { init, body, etag } = kept;
  const { status, headers } = init;
  // A response takes a copy of the headers it is made with.
  if (id !== undefined) headers.set(REQUEST_ID, id);
  const condition = request.headers.get('if-none-match');
  if (condition !== null && noneMatches(condition, etag)) {
    const rest = new Headers(headers);
    rest.delete('content-type');
    return new Response(null, { status: 304, headers: rest });
  }
  if (request.method === 'HEAD') return headResponse(status, new Headers(headers), kept.length);
  return new Response(body, init);
}
