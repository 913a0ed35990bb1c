/**
 * Answers to reads, kept while the data does not change. An answer is found by all that it depends on: the URL and the
 * headers named in Vary. The mark of the data is taken before the rows are read, so that an answer is never newer than
 * it says; one look at the mark before an answer is given again, and a commit by anyone has made all of them stale.
 */
import type { ChangeMark, Reading } from '../engine/engine.ts';
import type { Call, Target } from '../http/call.ts';
import { noneMatches } from '../http/conditional.ts';
import { MAX_KEPT_ANSWER_BYTES, MAX_KEPT_BYTES } from '../limits.ts';
import { type Answer, headResponse, REQUEST_ID } from './answer.ts';
import type { Repeats, RepeatsOf } from './trace.ts';

export interface KeptAnswer {
  readonly whole: Kept;
  /** In its place for those who have it already: 304. */
  readonly unchanged: Kept;
  readonly length: number;
  readonly etag: string;
  readonly rows: number;
  readonly target: Target['kind'];
}

interface Kept {
  /** Never sent itself: what is sent are clones, which share its body. */
  readonly response: Response;
  /** Absent where each request is told of. */
  readonly repeats: Repeats | undefined;
}

/** Where an answer that is being made will be kept. */
export interface Place {
  readonly key: string;
  /** Of the data before it was read. */
  readonly mark: number;
}

const encoder = new TextEncoder();

/** Requests remembered by a hash: one that comes a second time is worth keeping, and few come only once. */
const REMEMBERED = 8192;

export class KeptAnswers {
  private readonly answers = new Map<string, KeptAnswer>();
  private readonly asked = new Int32Array(REMEMBERED);
  private bytes = 0;
  private hits = 0;
  private misses = 0;
  private mark = Number.NaN;

  constructor(
    private readonly changes: ChangeMark,
    private readonly repeatsOf?: RepeatsOf,
  ) {}

  find(key: string): KeptAnswer | undefined {
    const mark = this.changes.current();
    if (mark !== this.mark) {
      this.answers.clear();
      this.bytes = 0;
      this.mark = mark;
    }
    const kept = this.answers.get(key);
    if (kept === undefined) this.misses++;
    else this.hits++;
    return kept;
  }

  /** Of the data as it was when an answer was last looked for: what is read from then on is not older. */
  lastMark(): number {
    return this.mark;
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

  keep({ key, mark }: Place, { method, target }: Call, { status, headers, body, rows }: Answer): void {
    if (body === null || body instanceof ReadableStream || mark !== this.mark) return;
    if (body.length > MAX_KEPT_ANSWER_BYTES) return;
    if (!this.wasAsked(key)) return;
    const bytes = typeof body === 'string' ? encoder.encode(body) : body;
    const size = bytes.length + key.length * 4 + 2000;
    if (this.bytes + size > MAX_KEPT_BYTES) {
      this.answers.clear();
      this.bytes = 0;
    }
    const whole = new Response(bytes, { status, headers });
    const unchanged = new Response(null, { status: 304, headers });
    unchanged.headers.delete('content-type');
    const counted = (response: Response): Kept => ({
      response,
      repeats: this.repeatsOf?.(method, target.kind, response.status),
    });
    this.answers.set(key, {
      whole: counted(whole),
      unchanged: counted(unchanged),
      length: bytes.length,
      etag: headers.etag ?? '',
      rows,
      target: target.kind,
    });
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

export function keptResponse(method: string, request: Request, kept: KeptAnswer, id: string | undefined): Response {
  const condition = request.headers.get('if-none-match');
  const { response, repeats } = condition !== null && noneMatches(condition, kept.etag) ? kept.unchanged : kept.whole;
  if (repeats !== undefined) {
    repeats.times++;
    repeats.rows += kept.rows;
  }
  // A clone brings the headers as they are at the time.
  if (id !== undefined) response.headers.set(REQUEST_ID, id);
  if (method === 'HEAD' && response.status !== 304)
    return headResponse(response.status, new Headers(response.headers), kept.length);
  return response.clone() as Response;
}
