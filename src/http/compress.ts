/** Compresses bodies: short ones synchronously, others on the runtime's threads, so that no request waits. */
import { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { SYNC_COMPRESSION_LENGTH } from '../base/limits/http.ts';
import type { Coding } from './content-coding.ts';

/** Answers are compressed quickly, static files thoroughly. */
type Effort = 'quick' | 'thorough';
type Bytes = Uint8Array<ArrayBuffer>;

interface Coder {
  readonly atOnce: (bytes: Uint8Array, effort: Effort) => Bytes;
  readonly later: (bytes: Uint8Array, effort: Effort) => Promise<Bytes>;
  readonly stream: () => Duplex;
}

function coder<Options extends object>(
  optionsFor: (level: number) => Options,
  levels: Readonly<Record<Effort, number>>,
  atOnce: (bytes: Uint8Array, options: Options) => NonSharedBuffer,
  later: (bytes: Uint8Array, options: Options) => Promise<NonSharedBuffer>,
  stream: (options: Options & { readonly chunkSize: number }) => Duplex,
): Coder {
  const options = { quick: optionsFor(levels.quick), thorough: optionsFor(levels.thorough) };
  return {
    atOnce: (bytes, effort) => atOnce(bytes, options[effort]),
    later: (bytes, effort) => later(bytes, options[effort]),
    stream: () => stream({ ...options.quick, chunkSize: STREAM_CHUNK_BYTES }),
  };
}

/** The chunk size of compressed streams. */
const STREAM_CHUNK_BYTES = 64 * 1024;

const { BROTLI_PARAM_QUALITY, ZSTD_c_compressionLevel } = zlib.constants;

const CODERS: Readonly<Record<Coding, Coder>> = {
  gzip: coder((level) => ({ level }), { quick: 3, thorough: 9 }, zlib.gzipSync, promisify(zlib.gzip), zlib.createGzip),
  br: coder(
    (level) => ({ params: { [BROTLI_PARAM_QUALITY]: level } }),
    { quick: 3, thorough: 6 },
    zlib.brotliCompressSync,
    promisify(zlib.brotliCompress),
    zlib.createBrotliCompress,
  ),
  zstd: coder(
    (level) => ({ params: { [ZSTD_c_compressionLevel]: level } }),
    { quick: 3, thorough: 9 },
    // Takes half the time of node:zlib for a short list.
    (bytes, { params }) => Bun.zstdCompressSync(bytes, { level: params[ZSTD_c_compressionLevel]! }) as NonSharedBuffer,
    promisify(zlib.zstdCompress),
    zlib.createZstdCompress,
  ),
};

export function compress(
  content: string | Uint8Array,
  coding: Coding,
  effort: Effort = 'quick',
): Bytes | Promise<Bytes> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const { atOnce, later } = CODERS[coding];
  return bytes.length <= SYNC_COMPRESSION_LENGTH ? atOnce(bytes, effort) : later(bytes, effort);
}

/** Compresses as fast as the stream is read; ending either side ends both. */
export function compressStream(body: ReadableStream<Uint8Array>, coding: Coding): ReadableStream<Uint8Array> {
  return body.pipeThrough(Duplex.toWeb(CODERS[coding].stream()) as TransformStream<Uint8Array, Uint8Array>);
}
