/** A large result that is streamed to a client in chunks. It holds a snapshot until its end. */
import { ApiError } from '../../../base/errors.ts';
import { IDLE_STREAM_SECONDS } from '../../../base/limits/engine.ts';
import { failure } from '../connection/thread.ts';
import type { TurnAnswer } from './reader.ts';

/** Whether it was sent completely, its client disconnected, or the service ended it. */
export type Ending = 'whole' | 'left' | 'abandoned';

export interface StreamedReadOptions {
  readonly next: () => Promise<TurnAnswer>;
  /** Why it must end; called before every chunk. */
  readonly objection: (read: StreamedRead) => string | undefined;
  /** Called once. */
  readonly ended: (how: Ending) => void;
}

export class StreamedRead implements AsyncIterator<Uint8Array, undefined> {
  private readonly begunAt = performance.now();
  /** The time since which a chunk is waiting for the client. */
  private idleSince: number | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private why: string | undefined;
  private hasEnded = false;

  constructor(private readonly options: StreamedReadOptions) {
    this.waitForClient();
  }

  get ageMs(): number {
    return performance.now() - this.begunAt;
  }

  /** How long the client has read nothing. */
  get idleMs(): number {
    return this.idleSince === undefined ? 0 : performance.now() - this.idleSince;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    clearTimeout(this.timer);
    this.idleSince = undefined;
    const objection = this.options.objection(this);
    if (objection !== undefined) this.abandon(objection);
    if (this.hasEnded) throw new ApiError('CAT503', 'the result was ended before its end', { details: this.why });
    const part = await this.nextPart();
    if (part === undefined) {
      this.end('whole');
      return { done: true, value: undefined };
    }
    this.waitForClient();
    return { done: false, value: part };
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.end('left');
    return { done: true, value: undefined };
  }

  /** Reports the reason to a client that is still reading. */
  abandon(why: string): void {
    this.why = why;
    this.end('abandoned');
  }

  private async nextPart(): Promise<Uint8Array | undefined> {
    try {
      const answer = await this.options.next();
      if (answer.kind === 'failed') throw failure(answer.outcome);
      return answer.kind === 'part' ? answer.part : undefined;
    } catch (error) {
      this.end('left');
      throw error;
    }
  }

  private waitForClient(): void {
    if (this.hasEnded) return;
    this.idleSince = performance.now();
    const tooLong = `No part was taken for ${IDLE_STREAM_SECONDS} seconds.`;
    this.timer = setTimeout(() => this.abandon(tooLong), IDLE_STREAM_SECONDS * 1000);
    this.timer.unref();
  }

  private end(how: Ending): void {
    clearTimeout(this.timer);
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.options.ended(how);
  }
}
