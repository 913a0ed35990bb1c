/** The answer to a read before it becomes a `Response`: what can be kept and given again. */
import type { Call } from '../http/call.ts';
import { noneMatches } from './etag.ts';

export interface Answer {
  readonly status: number;
  /** With the answer's ETag. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null;
  readonly rows: number;
}

export function toResponse({ method, request }: Call, answer: Answer): Response {
  const { status, headers, body } = answer;
  const condition = request.headers.get('if-none-match');
  if (condition !== null && headers.etag !== undefined && noneMatches(condition, headers.etag)) {
    const { 'content-type': _, ...rest } = headers;
    if (body instanceof ReadableStream) void body.cancel();
    return new Response(null, { status: 304, headers: rest });
  }
  return new Response(method === 'HEAD' ? null : body, { status, headers });
}
