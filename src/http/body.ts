/** The request body: its bytes within the limit, read by its content type into a document. */
import { parseJson } from '../collection/exact-json.ts';
import { Refusal } from '../errors.ts';
import { parseCsv } from './csv.ts';
import { splitQuery } from './query-string.ts';

/** A body, read by its content type but not yet understood. */
export type Document =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'table'; readonly header: readonly string[]; readonly rows: readonly (readonly unknown[])[] };

export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  checkEncoding(request.headers.get('content-encoding'));
  const length = request.headers.get('content-length');
  if (length !== null) {
    if (Number(length) > maxBytes) throw tooLarge(maxBytes);
    return request.bytes().catch(brokeOff);
  }
  return request.body === null ? new Uint8Array() : readChunks(request.body, maxBytes).catch(brokeOff);
}

async function readChunks(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The client hung up, or sent chunks that cannot be read: its fault, and the log must not call it ours. */
function brokeOff(error: unknown): never {
  if (error instanceof Refusal) throw error;
  throw new Refusal('PGRST102', 'the request body broke off', { details: 'Nothing was changed.' });
}

export function readDocument(bytes: Uint8Array, contentTypeHeader: string | null): Document {
  const [contentType = '', ...parameters] = (contentTypeHeader ?? 'application/json')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  checkCharset(parameters.find((parameter) => parameter.startsWith('charset=')));
  const read = Object.hasOwn(READERS, contentType) ? READERS[contentType] : undefined;
  if (read === undefined) {
    throw new Refusal('PGRST102', `Content-Type not acceptable: ${contentType}`, {
      hint: `Send one of: ${Object.keys(READERS).join(', ')}.`,
    });
  }
  return read(decodeText(bytes));
}

const READERS: Readonly<Record<string, (text: string) => Document>> = {
  'application/json': readJson,
  'application/merge-patch+json': readJson,
  'application/vnd.pgrst.array+json': readJson,
  'application/vnd.pgrst.object+json': readJson,
  'text/csv': readCsv,
  'application/x-www-form-urlencoded': readForm,
};

export const BODY_TYPES: readonly string[] = Object.keys(READERS);

function readJson(text: string): Document {
  try {
    return { kind: 'json', value: parseJson(text) };
  } catch (error) {
    throw new Refusal('PGRST102', 'Empty or invalid json', {
      details: text.trim() === '' ? 'The body is empty.' : (error as Error).message,
      hint: 'Send a JSON object, or an array of objects.',
    });
  }
}

/** What `curl -d` sends is labelled as a form, whatever it is. */
function readForm(text: string): Document {
  if (/^\s*[[{]/.test(text)) {
    throw new Refusal('PGRST102', 'the body is JSON, and its Content-Type says that it is a form', {
      hint: "Send the header Content-Type: application/json, with curl by -H 'Content-Type: application/json'.",
    });
  }
  return { kind: 'json', value: Object.fromEntries(splitQuery(text)) };
}

function readCsv(text: string): Document {
  const [header, ...rows] = parseCsv(text);
  if (header === undefined) {
    throw new Refusal('PGRST102', 'the CSV is empty', { hint: 'Begin with a line that names the fields.' });
  }
  const wide = rows.findIndex((row) => row.length > header.length);
  if (wide !== -1) {
    throw new Refusal('PGRST102', `the CSV cannot be read: row ${wide + 1} has more cells than the header`, {
      details: `The header has ${header.length} cells, the row ${rows[wide]!.length}.`,
    });
  }
  return { kind: 'table', header: header.map((name) => name ?? 'NULL'), rows };
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal('22021', 'invalid byte sequence for encoding "UTF8"', { hint: 'Send the body as UTF-8.' });
  }
}

function checkCharset(parameter: string | undefined): void {
  const charset = parameter?.slice('charset='.length).replaceAll('"', '');
  if (charset === undefined || charset === 'utf-8' || charset === 'utf8' || charset === 'us-ascii') return;
  throw new Refusal('CAT415', `the charset ${charset} is not supported`, { hint: 'Send the body as UTF-8.' });
}

/** RFC 9110, 8.4: a content coding the server does not read. */
function checkEncoding(encoding: string | null): void {
  if (encoding === null || encoding === '' || encoding.toLowerCase() === 'identity') return;
  throw new Refusal('CAT415', `the content encoding ${encoding} is not supported`, {
    hint: 'Send the body without a content encoding.',
    headers: { 'accept-encoding': 'identity' },
  });
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal('CAT413', `the body is larger than ${maxBytes} bytes`, {
    details: 'Nothing was changed.',
    hint: 'Send the rows in several requests, or raise --max-body-mb.',
  });
}
