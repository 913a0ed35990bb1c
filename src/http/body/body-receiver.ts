/**
 * Receives request bodies. Each has a limit, and so have all of them together: received bytes and what is derived from
 * them count until the request is answered. Over the total limit, a stalled body is dropped first; otherwise the next
 * one is rejected.
 */
import { ApiError } from '../../base/errors.ts';
import {
  MAX_BODIES_BYTES,
  SHORT_BODY_BYTES,
  SLOWEST_BODY_BYTES,
  STALLED_BODY_SECONDS,
} from '../../base/limits/http.ts';
import { gauge, type Metric } from '../../base/metric.ts';
import type { Call } from '../call.ts';

/** After a shorter chunk the receiver waits, so that small chunks arrive together and other requests get a turn. */
const SHORT_CHUNK_BYTES = 1024;

/** A received body. Its owner releases it. */
export class Body {
  constructor(
    readonly bytes: Uint8Array,
    private readonly bodies: BodyReceiver,
    private counted = 0,
  ) {}

  /** Whether parsing it takes more than a moment. */
  get isLong(): boolean {
    return this.bytes.length > SHORT_BODY_BYTES;
  }

  /** Adds to the memory of the request. Short bodies are exempt, so that they never wait for long ones. */
  count(bytes: number): void {
    if (!this.isLong) return;
    this.bodies.hold(bytes);
    this.counted += bytes;
  }

  release(): void {
    this.bodies.free(this.counted);
    this.counted = 0;
  }
}

export class BodyReceiver {
  private held = 0;
  private readonly receiving = new Set<Receiving>();

  constructor(
    private readonly maxBytes: number,
    private readonly maxAll = MAX_BODIES_BYTES,
  ) {}

  metrics(): readonly [Metric] {
    return [gauge('bodies_bytes', 'Memory of large request bodies and of the rows parsed from them.', this.held)];
  }

  async receive(call: Call): Promise<Body> {
    checkEncoding(call.headers.get('content-encoding'));
    const length = call.headers.get('content-length');
    const { maxBytes } = this;
    if (length !== null) {
      if (Number(length) > maxBytes) throw tooLarge(maxBytes);
      if (Number(length) <= SHORT_BODY_BYTES) return new Body(await call.bytes().catch(rejectInterrupted), this);
      if (this.held + Number(length) > this.maxAll) this.makeRoom(Number(length));
    }
    const { stream } = call;
    if (stream === null) return new Body(new Uint8Array(), this);
    const receiving = new Receiving(stream, maxBytes, (bytes) => this.hold(bytes));
    this.receiving.add(receiving);
    try {
      return new Body(await receiving.whole().catch(rejectInterrupted), this, receiving.size);
    } catch (error) {
      this.free(receiving.size);
      throw error;
    } finally {
      this.receiving.delete(receiving);
    }
  }

  hold(bytes: number): void {
    if (this.held + bytes > this.maxAll) this.makeRoom(bytes);
    this.held += bytes;
  }

  free(bytes: number): void {
    this.held -= bytes;
  }

  private makeRoom(bytes: number): void {
    const stalled = [...this.receiving]
      .filter(({ idleMs }) => idleMs >= STALLED_BODY_SECONDS * 1000)
      .sort((one, other) => other.idleMs - one.idleMs);
    for (const each of stalled) {
      if (this.held + bytes <= this.maxAll) return;
      this.free(each.drop());
    }
    if (this.held + bytes > this.maxAll) throw tooBusy('too many large bodies are being worked on');
  }
}

/** A body in transit. */
class Receiving {
  /** The number of bytes that count. */
  size = 0;
  private readonly begunAt = performance.now();
  private at = this.begunAt;
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  private isDropped = false;

  constructor(
    body: ReadableStream<Uint8Array>,
    private readonly maxBytes: number,
    private readonly hold: (bytes: number) => void,
  ) {
    this.reader = body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  }

  /** The time since the last bytes, or behind the minimum rate, so that single bytes do not count as progress. */
  get idleMs(): number {
    const now = performance.now();
    return Math.max(now - this.at, now - this.begunAt - (this.size * 1000) / SLOWEST_BODY_BYTES);
  }

  async whole(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    try {
      for (;;) {
        const { done, value } = await this.reader.read();
        if (this.isDropped) throw tooBusy('the body came too slowly while others waited');
        if (done) return Buffer.concat(chunks);
        if (this.size + value.byteLength > this.maxBytes) throw tooLarge(this.maxBytes);
        this.hold(value.byteLength);
        this.size += value.byteLength;
        this.at = performance.now();
        chunks.push(value);
        if (value.byteLength < SHORT_CHUNK_BYTES) await new Promise(setImmediate);
      }
    } catch (error) {
      void this.reader.cancel().catch(() => undefined);
      throw error;
    }
  }

  /** Drops this body in favour of others. Returns the freed bytes. */
  drop(): number {
    const { size } = this;
    this.size = 0;
    this.isDropped = true;
    void this.reader.cancel().catch(() => undefined);
    return size;
  }
}

/** The client disconnected or sent invalid chunks: not an error of the service. */
function rejectInterrupted(error: unknown): never {
  if (error instanceof ApiError) throw error;
  throw new ApiError('PGRST102', 'the request body broke off', { details: 'Nothing was changed.' });
}

/** RFC 9110, 8.4: rejects an unsupported content coding. */
export function checkEncoding(encoding: string | null): void {
  if (encoding === null || encoding === '' || encoding.toLowerCase() === 'identity') return;
  throw new ApiError('CAT415', `the content encoding ${encoding} is not supported`, {
    hint: 'Send the body without a content encoding.',
    headers: { 'accept-encoding': 'identity' },
  });
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError('CAT413', `the body is larger than ${maxBytes} bytes`, {
    details: 'Nothing was changed.',
    hint: 'Send the rows in several requests, store them with catalogue import, or raise --max-body-mb.',
  });
}

function tooBusy(message: string): ApiError {
  return new ApiError('CAT503', message, {
    details: 'Nothing was changed.',
    hint: 'Try again in a moment.',
    headers: { 'retry-after': '1' },
  });
}
