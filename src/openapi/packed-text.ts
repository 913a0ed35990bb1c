/**
 * A long text that is built in slices, between which the event loop answers other requests, and kept gzipped: the
 * document of 1,000 collections has 90 MB as text.
 */
import { once } from 'node:events';
import { createGzip } from 'node:zlib';
import { BYTES_PER_SLICE, schedule, type Task } from '../base/cooperative.ts';
import { encodeAnswer, toResponse } from '../http/answer.ts';
import { acceptedCoding } from '../http/content-coding.ts';

type Bytes = Uint8Array<ArrayBuffer>;

export interface PackedText {
  readonly gzip: Bytes;
  /** The bytes of the text itself. */
  readonly length: number;
  readonly tag: string;
}

/** A longer text is decompressed as a stream for clients that do not accept gzip. */
const MAX_UNPACKED_BYTES = 1024 * 1024;

export async function packText(pieces: Iterator<string>): Promise<PackedText> {
  const coder = createGzip();
  const packed: Buffer[] = [];
  coder.on('data', (bytes: Buffer) => packed.push(bytes));
  const ended = once(coder, 'end');
  let length = 0;
  let hash = 0n;
  for (;;) {
    const bytes = Buffer.from(await schedule(sliceOf(pieces)));
    if (bytes.length === 0) break;
    length += bytes.length;
    hash = BigInt(Bun.hash(bytes, hash));
    if (!coder.write(bytes)) await once(coder, 'drain');
  }
  coder.end();
  await ended;
  return { gzip: Buffer.concat(packed), length, tag: `"${hash.toString(36)}"` };
}

/** The next pieces, as many as one turn of the event loop should build. Empty at the end. */
// biome-ignore lint/correctness/useYield: one slice is one piece of work.
function* sliceOf(pieces: Iterator<string>): Task<string> {
  let slice = '';
  while (slice.length < BYTES_PER_SLICE) {
    const { done, value } = pieces.next();
    if (done === true) break;
    slice += value;
  }
  return slice;
}

export function packedResponse(
  { gzip, length, tag }: PackedText,
  request: Request,
  headers: Readonly<Record<string, string>>,
): Response | Promise<Response> {
  const accepted = acceptedCoding(request.headers.get('accept-encoding'), ['gzip']);
  const body = accepted !== undefined ? gzip : length > MAX_UNPACKED_BYTES ? unpacking(gzip) : Bun.gunzipSync(gzip);
  const answer = { status: 200, headers: { ...headers, etag: tag }, body };
  return toResponse(
    request,
    encodeAnswer(answer, accepted, () => gzip),
    true,
  );
}

function unpacking(gzip: Bytes): ReadableStream<Uint8Array> {
  return new Blob([gzip]).stream().pipeThrough(new DecompressionStream('gzip'));
}
