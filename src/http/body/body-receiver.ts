/**
 * Receives request bodies. Each has a limit, and so have all of them together: received bytes and what is derived from
 * them count until the request is answered. Over the total limit, a stalled body is dropped first; otherwise the next
 * one is rejected.
 */
import { ApiError } from '../../base/errors.ts';
import { MAX_BODIES_BYTES, SHORT_BODY_BYTES } from '../../base/limits/http.ts';
import { gauge, type Metric } from '../../base/metric.ts';
import type { Call } from '../call.ts';
import { brokenOff, IncomingBody } from './incoming-body.ts';

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
    checkEncoding(call.contentEncoding);
    const length = call.headers.get('content-length');
    const { maxBytes } = this;
    if (length !== null) {
      if (Number(length) > maxBytes) throw tooLarge(maxBytes);
      if (Number(length) <= SHORT_BODY_BYTES) {
        const bytes = await call.bytes().catch(() => {
          throw brokenOff(ERRORS.details);
        });
        return new Body(bytes, this);
      }
      if (this.held + Number(length) > this.maxAll) this.makeRoom(Number(length));
    }
    const { stream } = call;
    if (stream === null) return new Body(new Uint8Array(), this);
    const receiving = { incoming: new IncomingBody(stream, ERRORS), size: 0 };
    this.receiving.add(receiving);
    try {
      return new Body(await this.whole(receiving), this, receiving.size);
    } catch (error) {
      receiving.incoming.cancel();
      this.free(receiving.size);
      throw error;
    } finally {
      this.receiving.delete(receiving);
    }
  }

  private async whole(receiving: Receiving): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of receiving.incoming) {
      if (receiving.size + chunk.byteLength > this.maxBytes) throw tooLarge(this.maxBytes);
      this.hold(chunk.byteLength);
      receiving.size += chunk.byteLength;
      chunks.push(chunk);
      if (chunk.byteLength < SHORT_CHUNK_BYTES) await new Promise(setImmediate);
    }
    return Buffer.concat(chunks);
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
      .filter(({ incoming }) => incoming.isStalled)
      .sort((one, other) => other.incoming.idleMs - one.incoming.idleMs);
    for (const each of stalled) {
      if (this.held + bytes <= this.maxAll) return;
      this.free(each.size);
      each.size = 0;
      each.incoming.drop();
    }
    if (this.held + bytes > this.maxAll) throw tooBusy('too many large bodies are being worked on');
  }
}

/** A body in transit, and the number of its bytes that count. */
interface Receiving {
  readonly incoming: IncomingBody;
  size: number;
}

const ERRORS = {
  dropped: () => tooBusy('the body came too slowly while others waited'),
  details: 'Nothing was changed.',
};

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
    nothingChanged: true,
    hint: 'Send the rows in several requests, store them with catalogue import, or raise --max-body-mb.',
  });
}

function tooBusy(message: string): ApiError {
  return new ApiError('CAT503', message, {
    nothingChanged: true,
    hint: 'Try again in a moment.',
    headers: { 'retry-after': '1' },
  });
}
