/** The bytes of a body as they arrive. A body that stalls may be dropped in favour of others. */
import { ApiError } from '../../base/errors.ts';
import { SLOWEST_BODY_BYTES, STALLED_BODY_SECONDS } from '../../base/limits/http.ts';

export class IncomingBody implements AsyncIterable<Uint8Array> {
  private reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  private isDropped = false;
  private hasEnded = false;
  private received = 0;
  private waitedMs = 0;
  /** Since when the service waits for bytes; undefined while it works on them. */
  private waitsSince: number | undefined;

  constructor(
    private readonly body: ReadableStream<Uint8Array> | null,
    /** The error of a body that was dropped, and the details of one that broke off. */
    private readonly errors: { readonly dropped: () => ApiError; readonly details: string },
  ) {}

  /** By the wait for the next bytes, or behind the minimum rate, so that single bytes do not count as progress. */
  get idleMs(): number {
    if (this.hasEnded) return 0;
    const waits = this.waitsSince === undefined ? 0 : performance.now() - this.waitsSince;
    return Math.max(waits, this.waitedMs + waits - (this.received * 1000) / SLOWEST_BODY_BYTES);
  }

  get isStalled(): boolean {
    return this.idleMs >= STALLED_BODY_SECONDS * 1000;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    this.reader = this.body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined;
    for (;;) {
      const value = await this.next();
      if (this.isDropped) throw this.errors.dropped();
      this.hasEnded = value === undefined;
      if (value === undefined) return;
      this.received += value.length;
      yield value;
    }
  }

  private async next(): Promise<Uint8Array | undefined> {
    const since = performance.now();
    this.waitsSince = since;
    try {
      return (await this.reader?.read())?.value;
    } catch {
      // The client disconnected or sent invalid chunks: not an error of the service.
      throw this.isDropped ? this.errors.dropped() : brokenOff(this.errors.details);
    } finally {
      this.waitsSince = undefined;
      this.waitedMs += performance.now() - since;
    }
  }

  /** Ends this body in favour of others. */
  drop(): void {
    this.isDropped = true;
    this.cancel();
  }

  cancel(): void {
    void this.reader?.cancel().catch(() => undefined);
  }
}

export function brokenOff(details: string): ApiError {
  return new ApiError('PGRST102', 'the request body broke off', { details });
}
