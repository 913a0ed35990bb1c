/** The answer to a request before it becomes a `Response`: what can be kept and given again. */
import { noneMatches } from '../http/conditional.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | ReadableStream<Uint8Array> | null;
}

/** 304 where the client has it already, no body for HEAD. `isLate` where it was made in a later turn of the event loop. */
export function toResponse(request: Request, { status, headers, body }: Answer, isLate: boolean): Response {
  const { method } = request;
  if (method === 'GET' || method === 'HEAD') {
    const condition = request.headers.get('if-none-match');
    if (condition !== null && headers.etag !== undefined && noneMatches(condition, headers.etag)) {
      if (body instanceof ReadableStream) void body.cancel();
      return new Response(null, unchanged(headers));
    }
  }
  if (method === 'HEAD') {
    if (body instanceof ReadableStream) void body.cancel();
    return headResponse(status, headers, typeof body === 'string' ? Buffer.byteLength(body) : undefined);
  }
  return new Response(isLate && typeof body === 'string' ? lateBody(body) : body, { status, headers });
}

/** What is sent to a client that has the answer already (RFC 9110, 15.4.5). */
export function unchanged({ 'content-type': _, ...headers }: Answer['headers']): ResponseInit {
  return { status: 304, headers };
}

/** Up to here a body and its headers are sent at once, whenever they come. */
const LATE_BODY_LENGTH = 8 * 1024;

/**
 * Bun sends a response of a later turn of the event loop, where it is larger than its buffer of 16 KB, with a system call
 * for every piece of every header: more time than all else that a list takes. As a stream it is sent in one.
 */
function lateBody(body: string): string | ReadableStream {
  if (body.length < LATE_BODY_LENGTH) return body;
  return new ReadableStream({
    type: 'direct',
    pull(controller: ReadableStreamDirectController) {
      controller.write(body);
      controller.end();
    },
  });
}

/**
 * The length is that of the body a GET would have had (RFC 9110, 8.6). Where nobody knows it, the coding is named that a GET
 * would have been sent in (RFC 9112, 6.1): without either, Bun says that the length is 0.
 */
export function headResponse(status: number, headers: Answer['headers'], length: number | undefined): Response {
  const told = length === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(length) };
  return new Response(null, { status, headers: { ...headers, ...told } });
}
