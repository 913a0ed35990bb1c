/** The answer to a read before it becomes a `Response`: what can be kept and given again. */
import type { Call } from '../http/call.ts';
import { noneMatches } from '../http/conditional.ts';

export const REQUEST_ID = 'x-request-id';

export interface Answer {
  readonly status: number;
  /** With the answer's ETag. */
  readonly headers: Record<string, string>;
  readonly body: string | ReadableStream<Uint8Array> | null;
  readonly rows: number;
}

/** `id` is the request's name, which goes back with it: set before the response is made, since after that it costs twice. */
export function toResponse({ method, request }: Call, answer: Answer, id: string | undefined): Response {
  const { status, headers, body } = answer;
  if (id !== undefined) headers[REQUEST_ID] = id;
  const condition = request.headers.get('if-none-match');
  if (condition !== null && headers.etag !== undefined && noneMatches(condition, headers.etag)) {
    const { 'content-type': _, ...rest } = headers;
    if (body instanceof ReadableStream) void body.cancel();
    return new Response(null, { status: 304, headers: rest });
  }
  if (method === 'HEAD')
    return headResponse(status, new Headers(headers), typeof body === 'string' ? Buffer.byteLength(body) : undefined);
  return new Response(body, { status, headers });
}

/** The length is that of the body a GET would have had (RFC 9110, 8.6). */
export function headResponse(status: number, headers: Headers, length: number | undefined): Response {
  if (length !== undefined) headers.set('content-length', String(length));
  return new Response(null, { status, headers });
}
