/** A static file in memory with its tag, compressed on first use per content coding. */
import { encodeAnswer, toResponse } from './answer.ts';
import type { Call } from './call.ts';
import { type Coding, compress } from './content-coding.ts';

type Bytes = Uint8Array<ArrayBuffer>;

export interface StoredFile {
  readonly bytes: Bytes;
  readonly inCoding: (coding: Coding) => Bytes | Promise<Bytes>;
  readonly contentType: string;
  readonly tag: string;
}

export function storeFile(content: string | Bytes, contentType: string): StoredFile {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const coded: Partial<Record<Coding, Bytes | Promise<Bytes>>> = {};
  return {
    bytes,
    inCoding: (coding) => {
      coded[coding] ??= compress(bytes, coding, 'thorough');
      return coded[coding];
    },
    contentType,
    tag: `"${Bun.hash(bytes).toString(36)}"`,
  };
}

export function fileResponse(
  file: StoredFile,
  call: Call,
  headers: Readonly<Record<string, string>>,
): Response | Promise<Response> {
  // A page that depends on further headers adds them.
  const vary = [headers.vary, 'Accept-Encoding'].filter((name) => name !== undefined).join(', ');
  const answer = {
    status: 200,
    headers: { ...headers, vary, etag: file.tag, 'content-type': file.contentType },
    body: file.bytes,
  };
  const representation = encodeAnswer(answer, call.accepted, (_, coding) => file.inCoding(coding));
  return toResponse(call, representation, false);
}
