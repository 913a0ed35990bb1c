/**
 * Answers to reads, kept while the data does not change. An answer is found by all that it depends on: the URL and the
 * headers named in Vary. The mark of the data is taken before the rows are read, so that an answer is never newer than
 * it says; one look at the mark before an answer is given again, and a commit by anyone has made all of them stale.
 */
import type { ChangeMark } from '../engine/engine.ts';
import type { Call } from '../http/call.ts';
import { MAX_KEPT_ANSWER_BYTES, MAX_KEPT_BYTES } from '../limits.ts';
import type { Answer } from './answer.ts';

export class KeptAnswers {
  private readonly answers = new Map<string, Answer>();
  private bytes = 0;
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

  find(call: Call): Answer | undefined {
    this.currentMark();
    return this.answers.get(keyOf(call));
  }

  /** Keeps an answer in bytes, and returns it so. */
  keep(call: Call, mark: number, answer: Answer): Answer {
    const { body } = answer;
    if (typeof body !== 'string' || body.length > MAX_KEPT_ANSWER_BYTES || mark !== this.mark) return answer;
    const encoded = Buffer.from(body);
    const kept = { ...answer, body: encoded };
    const key = keyOf(call);
    const size = encoded.length + key.length + 500;
    if (this.bytes + size > MAX_KEPT_BYTES) {
      this.answers.clear();
      this.bytes = 0;
    }
    this.answers.set(key, kept);
    this.bytes += size;
    return kept;
  }
}

function keyOf({ method, url, request }: Call): string {
  const { headers } = request;
  const accept = headers.get('accept');
  const prefer = headers.get('prefer');
  const range = headers.get('range');
  // What most clients send is the shortest key.
  if (prefer === null && range === null && (accept === null || accept === '*/*')) return url;
  return `${url}\n${method}\n${accept ?? '*/*'}\n${prefer ?? ''}\n${range ?? ''}`;
}
