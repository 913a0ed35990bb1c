/** Reads multipart/form-data (RFC 7578) as a stream: the headers of each part, then its bytes as they arrive. */
import type { ApiError } from '../base/errors.ts';
import { MAX_FORM_PARTS, MAX_SKIPPED_FORM_BYTES } from '../base/limits/files.ts';
import { type HeaderValue, readHeaderValue } from './content-disposition.ts';
import { notStored } from './errors.ts';

interface Part {
  readonly disposition: HeaderValue;
  readonly contentType: string | null;
  /** Must be read to its end before the next part. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

const MAX_PART_HEADER_BYTES = 8 * 1024;
const HEADERS_END = '\r\n\r\n';
/** A chunk of a body may have megabytes. It joins the unread bytes in pieces, so that a rejected form copies little. */
const PIECE_BYTES = 64 * 1024;

export async function* readParts(body: AsyncIterable<Uint8Array>, boundary: string): AsyncGenerator<Part> {
  const source = new Source(body);
  const delimiter = `\r\n--${boundary}`;
  let skipped = 0;
  const skip = async (bytes: AsyncIterable<Uint8Array>) => {
    for await (const { length } of bytes) {
      skipped += length;
      if (skipped > MAX_SKIPPED_FORM_BYTES) throw tooMany(`${MAX_SKIPPED_FORM_BYTES} bytes that are not files`);
    }
  };
  // A preamble is ignored.
  await skip(source.until(delimiter));
  for (let count = 0; ; count++) {
    const next = await source.take(2);
    if (next === '--') return;
    if (next !== '\r\n') throw invalid('a delimiter is not followed by a line end');
    if (count === MAX_FORM_PARTS) throw tooMany(`${MAX_FORM_PARTS} parts`);
    // An empty line directly after the delimiter means that the part has no headers.
    source.untake();
    const headers = headersOf(await source.text(HEADERS_END, MAX_PART_HEADER_BYTES));
    const bytes = source.until(delimiter);
    yield {
      disposition: readHeaderValue(headers.get('content-disposition') ?? null),
      contentType: headers.get('content-type') ?? null,
      bytes,
    };
    // The bytes that the caller left unread.
    await skip(bytes);
  }
}

function headersOf(text: string): Map<string, string> {
  const lines = text.split('\r\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      if (colon === -1) throw invalid('a header of a part has no colon');
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}

/** The bytes that have arrived and were not read yet. */
class Source {
  /** Begins with a line end, because the first delimiter may begin the body. */
  private rest: Buffer = Buffer.from('\r\n');
  private beforeTake: Buffer = this.rest;
  /** The part of the last chunk that is not in `rest` yet. */
  private chunk: Uint8Array = new Uint8Array();
  private readonly iterator: AsyncIterator<Uint8Array>;

  constructor(body: AsyncIterable<Uint8Array>) {
    this.iterator = body[Symbol.asyncIterator]();
  }

  /** Puts back what the last `take` returned, without a copy: a part of a form may be a small piece of a long chunk. */
  untake(): void {
    this.rest = this.beforeTake;
  }

  /** The bytes before a delimiter, in pieces. The delimiter itself is skipped. */
  async *until(delimiter: string): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = this.rest.indexOf(delimiter, 0, 'latin1');
      if (at !== -1) {
        const last = this.rest.subarray(0, at);
        this.rest = this.rest.subarray(at + delimiter.length);
        if (last.length > 0) yield last;
        return;
      }
      // The end may be the start of a delimiter.
      const safe = this.rest.length - delimiter.length + 1;
      if (safe > 0) {
        const piece = this.rest.subarray(0, safe);
        this.rest = this.rest.subarray(safe);
        yield piece;
      }
      await this.more();
    }
  }

  async text(delimiter: string, most: number): Promise<string> {
    let text = '';
    for await (const piece of this.until(delimiter)) {
      text += Buffer.from(piece).toString('utf8');
      if (text.length > most) throw invalid(`the headers of a part are longer than ${most} bytes`);
    }
    return text;
  }

  async take(length: number): Promise<string> {
    while (this.rest.length < length) await this.more();
    this.beforeTake = this.rest;
    const taken = this.rest.subarray(0, length).toString('latin1');
    this.rest = this.rest.subarray(length);
    return taken;
  }

  private async more(): Promise<void> {
    while (this.chunk.length === 0) {
      const { done, value } = await this.iterator.next();
      if (done === true) throw invalid('it ends before its last delimiter');
      this.chunk = value;
    }
    this.rest = Buffer.concat([this.rest, this.chunk.subarray(0, PIECE_BYTES)]);
    this.chunk = this.chunk.subarray(PIECE_BYTES);
  }
}

function tooMany(most: string): ApiError {
  return notStored('54000', `a form may have ${most}`, 'Send the files in several requests, without other fields.');
}

function invalid(problem: string): ApiError {
  const hint = 'Let the HTTP client write the body, as curl -F file=@photo.jpg does.';
  return notStored('PGRST102', `the body is not multipart/form-data: ${problem}`, hint);
}
