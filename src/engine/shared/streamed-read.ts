/** A large result that is streamed to a client, on both engines. */
import { ApiError } from '../../base/errors.ts';
import { IDLE_STREAM_SECONDS, STALLED_SECONDS } from '../../base/limits/engine.ts';

/** Whether it was sent completely, its client disconnected, or the service ended it. */
export type Ending = 'whole' | 'left' | 'abandoned';

export interface StreamedReadOptions {
  /** The next part; undefined at the end. */
  readonly next: () => Promise<Uint8Array | undefined>;
  /** Why it must end; called before every part. */
  readonly objection?: (read: StreamedRead) => string | undefined;
  /** Whether others wait for what it holds. Then it ends if its client has stalled for this many seconds. */
  readonly isAwaited?: () => boolean;
  readonly stalledSeconds?: number;
  /** Called once. */
  readonly ended: (how: Ending) => unknown;
}

export const MAKES_ROOM = 'Nothing of it was taken for a while, and others asked for long results.';

/** It holds a snapshot until its end, so it ends if its client takes nothing. */
export class StreamedRead implements AsyncIterator<Uint8Array, undefined> {
  private readonly begunAt = performance.now();
  /** The time since which a part is waiting for the client. */
  private idleSince: number | undefined;
  private timer: ReturnType<typeof setInterval> | undefined;
  private why: string | undefined;
  private hasEnded = false;

  constructor(private readonly options: StreamedReadOptions) {
    this.waitForClient();
  }

  get ageMs(): number {
    return performance.now() - this.begunAt;
  }

  get idleMs(): number {
    return this.idleSince === undefined ? 0 : performance.now() - this.idleSince;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    clearInterval(this.timer);
    this.idleSince = undefined;
    const objection = this.options.objection?.(this);
    if (objection !== undefined) this.abandon(objection);
    if (this.hasEnded) throw new ApiError('CAT503', 'the read was stopped before its last row', { details: this.why });
    const part = await this.nextPart();
    if (part === undefined) {
      await this.end('whole');
      return { done: true, value: undefined };
    }
    this.waitForClient();
    return { done: false, value: part };
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    await this.end('left');
    return { done: true, value: undefined };
  }

  /** Reports the reason to a client that is still reading. */
  abandon(why: string): void {
    this.why = why;
    this.end('abandoned');
  }

  private async nextPart(): Promise<Uint8Array | undefined> {
    try {
      return await this.options.next();
    } catch (error) {
      this.end('left');
      throw error;
    }
  }

  private waitForClient(): void {
    if (this.hasEnded) return;
    this.idleSince = performance.now();
    const { isAwaited, stalledSeconds = STALLED_SECONDS } = this.options;
    this.timer = setInterval(() => {
      if (this.idleMs >= IDLE_STREAM_SECONDS * 1000) {
        this.abandon(`No part was taken for ${IDLE_STREAM_SECONDS} seconds.`);
      } else if (isAwaited?.() === true) this.abandon(MAKES_ROOM);
    }, stalledSeconds * 1000);
    this.timer.unref();
  }

  private end(how: Ending): unknown {
    clearInterval(this.timer);
    if (this.hasEnded) return;
    this.hasEnded = true;
    return this.options.ended(how);
  }
}
