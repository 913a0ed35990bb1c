/** Selects the content coding by Accept-Encoding (RFC 9110, 12.5.3), and compresses bodies. */
import { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { ApiError } from '../base/errors.ts';
import { MIN_COMPRESSED_LENGTH, SYNC_COMPRESSION_LENGTH } from '../base/limits/http.ts';
import { memoizeText } from '../base/memo.ts';

export type Coding = 'zstd' | 'br' | 'gzip';

/** In order of preference: the least time for the savings first. */
const CODINGS: readonly Coding[] = ['zstd', 'br', 'gzip'];

export interface Accepted {
  readonly coding: Coding;
  /** Shorter bodies are not compressed. */
  readonly from: number;
}

const negotiated = memoizeText((header) => ({ accepted: negotiate(header) }));

/** Chooses a coding; undefined for none. Throws if none is acceptable, so the service calls it before any work. */
export function acceptedCoding(header: string | null): Accepted | undefined {
  return header === null ? undefined : negotiated(header).accepted;
}

function negotiate(header: string): Accepted | undefined {
  const weights = weightsOf(header);
  const others = weights.get('*');
  const weightOf = (coding: Coding) => weights.get(coding) ?? others ?? 0;
  // Unless excluded, identity is acceptable with the lowest preference.
  const identity = weights.get('identity') ?? (others === 0 ? 0 : Number.MIN_VALUE);
  const [best] = CODINGS.toSorted((one, other) => weightOf(other) - weightOf(one));
  const weight = weightOf(best!);
  if (weight === 0 && identity === 0) throw notAvailable(header);
  if (weight < identity) return undefined;
  return { coding: best!, from: identity === 0 ? 0 : MIN_COMPRESSED_LENGTH };
}

/** Parses `gzip;q=0.5, br`. Items with an invalid weight are ignored. */
function weightsOf(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const match = /^\s*([^\s;]+)\s*(?:;\s*q\s*=\s*(0(?:\.\d*)?|1(?:\.0*)?)\s*)?$/.exec(part);
    // RFC 9110, 8.4.1.3: x-gzip is gzip.
    if (match !== null) weights.set(match[1] === 'x-gzip' ? 'gzip' : match[1]!, Number(match[2] ?? 1));
  }
  return weights;
}

function notAvailable(header: string): ApiError {
  return new ApiError('CAT406', `none of these content codings is available: ${header}`, {
    hint: `Accept one of: ${CODINGS.join(', ')}, identity.`,
  });
}

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
    { quick: 1, thorough: 9 },
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
