/** Serves the bytes of a file: whole or one range (RFC 9110, 14), with headers that keep a browser from running it. */
import { ApiError } from '../base/errors.ts';
import { FILE_CHUNK_BYTES } from '../base/limits/files.ts';
import { matchesTag } from '../http/conditional.ts';
import { CORS_HEADERS } from '../http/edge/cors.ts';
import { contentDisposition } from './file-name.ts';
import { isShownInline } from './media-type.ts';
import type { FileStore } from './store.ts';
import type { Shown } from './variants.ts';

/** Files up to this size are sent at once, with a Content-Length; longer ones are streamed. */
const WHOLE_BYTES = 4 * FILE_CHUNK_BYTES;

interface Range {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

export async function download(
  store: FileStore,
  file: Shown,
  request: Request,
  cacheControl: string,
): Promise<Response> {
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
  const known = request.headers.get('if-none-match');
  if (known !== null && matchesTag(known, etag)) return new Response(null, { status: 304, headers: common });
  const range = rangeOf(request, etag, size);
  const { start, end } = range ?? { start: 0, end: size };
  const headers: Record<string, string> = {
    ...common,
    'content-type': file.media_type,
    'content-disposition': contentDisposition(isShownInline(file.media_type) ? 'inline' : 'attachment', file.name),
    'content-length': String(end - start),
    ...(range === undefined ? {} : { 'content-range': `bytes ${start}-${end - 1}/${size}` }),
  };
  const status = range === undefined ? 200 : 206;
  if (request.method === 'HEAD') return new Response(null, { status, headers });
  if (typeof file.content !== 'string') {
    return new Response(Buffer.from(file.content.subarray(start, end)), { status, headers });
  }
  const bytes = store.bytes(file.content, start, end);
  if (end - start > WHOLE_BYTES) return new Response(streamOf(bytes), { status, headers });
  const parts: Buffer[] = [];
  for await (const part of bytes) parts.push(part);
  return new Response(Buffer.concat(parts), { status, headers });
}

function streamOf(bytes: AsyncGenerator<Buffer>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await bytes.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await bytes.return(undefined);
    },
  });
}

/** The requested range; undefined for the whole file, also for several ranges. */
function rangeOf({ headers, method }: Request, etag: string, size: number): Range | undefined {
  const header = headers.get('range');
  const condition = headers.get('if-range');
  if (header === null || method !== 'GET' || (condition !== null && condition !== etag)) return undefined;
  const match = /^bytes=(\d*)-(\d*)$/.exec(header.trim());
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
