/** A file that is kept in memory: its bytes, its gzipped bytes from when they are first wanted, its tag. */
import { noneMatches } from './conditional.ts';

export interface StoredFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly gzipped: () => Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  readonly tag: string;
}

export function storeFile(content: string | Uint8Array<ArrayBuffer>, contentType: string): StoredFile {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  let gzipped: Uint8Array<ArrayBuffer> | undefined;
  return {
    bytes,
    gzipped: () => {
      gzipped ??= Bun.gzipSync(bytes);
      return gzipped;
    },
    contentType,
    tag: `"${Bun.hash(bytes).toString(36)}"`,
  };
}

/** RFC 9110: 304 for a tag the client has (13.1.2), gzip where it is accepted (12.5.3), no body to HEAD (9.3.2). */
export function fileResponse(file: StoredFile, request: Request, headers: Readonly<Record<string, string>>): Response {
  const known = request.headers.get('if-none-match');
  const common = { ...headers, etag: file.tag, vary: 'Accept-Encoding' };
  if (known !== null && noneMatches(known, file.tag)) return new Response(null, { status: 304, headers: common });
  const isGzipped = acceptsGzip(request.headers.get('accept-encoding'));
  const body = isGzipped ? file.gzipped() : file.bytes;
  return new Response(request.method === 'HEAD' ? null : body, {
    headers: {
      ...common,
      'content-type': file.contentType,
      'content-length': String(body.byteLength),
      ...(isGzipped ? { 'content-encoding': 'gzip' } : {}),
    },
  });
}

function acceptsGzip(header: string | null): boolean {
  return header !== null && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(header);
}
