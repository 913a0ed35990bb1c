/** The answer to a request before it becomes a `Response`. `toResponse` applies the content coding, 304 and HEAD. */
import { WORKBOOK_TYPE } from '../encode/workbook.ts';
import { packWorkbook } from '../encode/zip.ts';
import type { Call } from './call.ts';
import { type Accepted, type Coding, compress, compressStream } from './content-coding.ts';

export type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that many answers have, unless they have others of these names: copying them takes less time. */
  readonly shared?: SharedHeaders | undefined;
  readonly body: Body;
  /** The number of rows that were read or written, for the log. */
  readonly rows?: number;
  /** The body is sent as it grows, so it has no content coding. */
  readonly isLive?: boolean;
}

export interface SharedHeaders {
  readonly contentType?: string;
  readonly all: Headers;
}

/** An answer in one content coding, encoded once on demand. */
export interface Representation extends Pick<Answer, 'status' | 'headers' | 'shared'> {
  /** Before content coding. */
  readonly plain: Body;
  /** Undefined if the content is the plain body. */
  readonly coding?: Coding | 'zip' | undefined;
  readonly content: () => Body | Promise<Body>;
}

type Encode = (body: NonNullable<Body>, coding: Coding) => Body | Promise<Body>;

export function encodeAnswer(answer: Answer, accepted: Accepted | undefined, encode: Encode = encoded): Representation {
  const { status, headers, shared, body: plain } = answer;
  const type = headers['content-type'] ?? shared?.contentType;
  if (plain !== null && type === WORKBOOK_TYPE)
    return { status, headers, shared, plain, coding: 'zip', content: once(() => workbookOf(plain)) };
  const isShort = !(plain instanceof ReadableStream) && (plain?.length ?? 0) < (accepted?.from ?? 0);
  if (accepted === undefined || plain === null || isShort || answer.isLive === true)
    return { status, headers, shared, plain, content: () => plain };
  const { coding } = accepted;
  // Other bytes need another tag (RFC 9110, 8.8.3.3); the part before the first dot is the version in all of them.
  const tag = headers.etag && { etag: `${headers.etag.slice(0, -1)}.${coding}"` };
  return {
    status,
    shared,
    headers: { ...headers, 'content-encoding': coding, ...tag },
    plain,
    coding,
    content: once(() => encode(plain, coding)),
  };
}

function once<Of extends Body | Promise<Body>>(make: () => Of): () => Of {
  let made: Of | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** A workbook is compressed already, so it needs no content coding. */
function workbookOf(sheet: NonNullable<Body>): Body | Promise<Body> {
  if (sheet instanceof ReadableStream) {
    const parts = packWorkbook(sheet as unknown as AsyncIterable<Uint8Array>);
    return streamOf(() => parts.next(), {
      cancel: async () => {
        await parts.return(undefined);
        // Unless the sheet was begun, the parts end without it. The source has reported its error.
        if (!sheet.locked) await sheet.cancel().catch(() => {});
      },
      onError: () => undefined,
    });
  }
  return Array.fromAsync(packWorkbook([sheet])).then((parts) => Buffer.concat(parts));
}

interface StreamOptions {
  /** Called if the client disconnects. */
  readonly cancel: () => unknown;
  /** Receives an error, which Bun prints otherwise. */
  readonly onError?: (error: unknown) => void;
  /** The number of parts that may wait for the client. */
  readonly highWaterMark?: number;
}

/** Streams parts no faster than the client reads. An error closes the connection: a partial body is not a whole one. */
export function streamOf(
  next: () => IteratorResult<Uint8Array> | Promise<IteratorResult<Uint8Array>>,
  { cancel, onError, highWaterMark = 1 }: StreamOptions,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          controller.error(onError === undefined ? error : onError(error));
        }
      },
      cancel: async () => void (await cancel()),
    },
    { highWaterMark },
  );
}

function encoded(body: NonNullable<Body>, coding: Coding): Body | Promise<Body> {
  return body instanceof ReadableStream ? compressStream(body, coding) : compress(body, coding);
}

/** `isAsync`: the answer was produced in a later turn of the event loop. */
export function toResponse(call: Call, answer: Representation, isAsync: boolean): Response | Promise<Response> {
  const isUnchanged = call.has(answer.headers.etag);
  if (isUnchanged || call.method === 'HEAD') {
    if (answer.plain instanceof ReadableStream) void answer.plain.cancel();
    return isUnchanged ? unchangedResponse(answer) : headResponse(answer);
  }
  const content = answer.content();
  if (content instanceof Promise) {
    return content.then((body) => responseWith(lateBody(body), answer));
  }
  return responseWith(isAsync ? lateBody(content) : content, answer);
}

export function responseWith(
  body: Body,
  { status, headers, shared }: Pick<Representation, 'status' | 'headers' | 'shared'>,
): Response {
  if (shared === undefined) return new Response(body, { status, headers });
  const response = new Response(body, { status, headers: shared.all });
  for (const name in headers) response.headers.set(name, headers[name]!);
  return response;
}

/** The response for a client that already has the answer (RFC 9110, 15.4.5). */
export function unchangedResponse(answer: Pick<Representation, 'status' | 'headers' | 'shared'>): Response {
  const response = responseWith(null, { ...answer, status: 304 });
  response.headers.delete('content-type');
  response.headers.delete('content-encoding');
  return response;
}

/** Sends the length of the body of a GET (RFC 9110, 8.6). Without a transfer coding, Bun would send 0 for unknown. */
export function headResponse(answer: Omit<Representation, 'content'>): Response {
  const { headers, plain, coding } = answer;
  const length =
    typeof plain === 'string' ? Buffer.byteLength(plain) : plain instanceof Uint8Array ? plain.length : undefined;
  const hasLength = coding === undefined && length !== undefined;
  const size = hasLength ? { 'content-length': String(length) } : { 'transfer-encoding': 'chunked' };
  return responseWith(null, plain === null ? answer : { ...answer, headers: { ...headers, ...size } });
}

/** Shorter bodies are sent together with their headers anyway. */
const LATE_BODY_LENGTH = 8 * 1024;

/**
 * In a later turn of the event loop, Bun sends a response over 16 KB with one system call per piece of each header,
 * which costs more than a whole list. It sends a stream with one.
 */
function lateBody(body: Body): Body | ReadableStream {
  if (body === null || body instanceof ReadableStream || body.length < LATE_BODY_LENGTH) return body;
  return new ReadableStream({
    type: 'direct',
    pull(controller: ReadableStreamDirectController) {
      controller.write(body);
      controller.end();
    },
  });
}
