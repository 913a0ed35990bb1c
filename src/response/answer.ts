/** The answer to a read before it becomes a `Response`: what can be kept and given again. */
import type { Call } from '../http/call.ts';
import { noneMatches } from '../http/conditional.ts';
import { HeaderSheet } from './header-sheet.ts';

export const REQUEST_ID = 'x-request-id';

export interface Answer {
  readonly status: number;
  /** With the answer's ETag. */
  readonly headers: Record<string, string>;
  /** Bytes are on a page that others are written on, too: they are for now. */
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
  readonly rows: number;
}

const itemHeaders = new HeaderSheet();
const listHeaders = new HeaderSheet();

/** `id` is the request's name, which goes back with it: set before the response is made, since after that it costs twice. */
export function toResponse(call: Call, answer: Answer, id: string | undefined, isLate: boolean): Response {
  const { method, request } = call;
  const { status, headers, body } = answer;
  if (id !== undefined) headers[REQUEST_ID] = id;
  const condition = request.headers.get('if-none-match');
  if (condition !== null && headers.etag !== undefined && noneMatches(condition, headers.etag)) {
    const { 'content-type': _, ...rest } = headers;
    if (body instanceof ReadableStream) void body.cancel();
    return new Response(null, { status: 304, headers: rest });
  }
  if (method === 'HEAD') return headResponse(status, new Headers(headers), lengthOf(body));
  const sheet = call.target.kind === 'item' ? itemHeaders : listHeaders;
  return new Response(isLate && typeof body === 'string' ? lateBody(body) : body, {
    status,
    headers: sheet.rewritten(headers),
  });
}

function lengthOf(body: Answer['body']): number | undefined {
  if (body instanceof Uint8Array) return body.length;
  return typeof body === 'string' ? Buffer.byteLength(body) : undefined;
}

/** Up to here a body and its headers are sent at once, whenever they come. */
const LATE_BODY_LENGTH = 8 * 1024;

/**
 * A response that comes in a later turn of the event loop than its request, and is larger than Bun's buffer of 16 KB, is
 * sent with a system call for every piece of every header: more of them than all else that a list takes. As a stream it
 * is sent in one.
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
export function headResponse(status: number, headers: Headers, length: number | undefined): Response {
  if (length === undefined) headers.set('transfer-encoding', 'chunked');
  else headers.set('content-length', String(length));
  return new Response(null, { status, headers });
}
