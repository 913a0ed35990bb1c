/** Serves the bytes of a file: whole or one range (RFC 9110, 14), with headers that keep a browser from running it. */
import { ApiError } from '../base/errors.ts';
import type { MaybePromise } from '../engine/engine.ts';
import type { Call } from '../http/call.ts';
import { CORS_HEADERS } from '../http/edge/origins.ts';
import { andThen } from '../response/request-context.ts';
import type { ContentCache } from './content-cache.ts';
import { contentDisposition } from './content-disposition.ts';
import { isShownInline } from './media-type.ts';
import type { Shown } from './variants.ts';

interface Range {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Returns in the same turn of the event loop if the bytes are cached, which is cheaper to send. */
export function download(
  contents: ContentCache,
  file: Shown,
  call: Call,
  cacheControl: string,
): MaybePromise<Response> {
  const { size } = file;
  const etag = `"${file.sha256}"`;
  const common: Record<string, string> = {
    ...CORS_HEADERS,
    etag,
    'cache-control': cacheControl,
    'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
    'cross-origin-resource-policy': 'cross-origin',
    'accept-ranges': 'bytes',
  };
  if (call.has(etag)) return new Response(null, { status: 304, headers: common });
  const range = rangeOf(call, etag, size);
  const { start, end } = range ?? { start: 0, end: size };
  const headers: Record<string, string> = {
    ...common,
    'content-type': file.media_type,
    'content-disposition': contentDisposition(isShownInline(file.media_type) ? 'inline' : 'attachment', file.name),
    'content-length': String(end - start),
    ...(range === undefined ? {} : { 'content-range': `bytes ${start}-${end - 1}/${size}` }),
  };
  const status = range === undefined ? 200 : 206;
  if (call.method === 'HEAD') return new Response(null, { status, headers });
  return andThen(contents.open(file, start, end), (body) => new Response(body, { status, headers }));
}

/** The requested range; undefined for the whole file, also for several ranges. */
function rangeOf({ range, ifRange }: Call, etag: string, size: number): Range | undefined {
  if (range === null || (ifRange !== null && ifRange !== etag)) return undefined;
  const match = /^bytes=(\d*)-(\d*)$/.exec(range.trim());
  if (match === null || (match[1] === '' && match[2] === '')) return undefined;
  const [first, last] = [match[1]!, match[2]!];
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  if (start < size && end > start) return { start, end };
  throw new ApiError('PGRST103', 'Requested range not satisfiable', {
    details: `The file has ${size} bytes.`,
    headers: { 'content-range': `bytes */${size}` },
  });
}
