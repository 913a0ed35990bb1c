/** Requests to the API, with the person's credentials and structured errors. */

import { WrittenNumber } from '../../../collection/exact-json.ts';
import { POSITION_HEADER } from '../../../http/position.ts';
import { ApiError, type Problem, problemOf } from './errors.ts';
import { renewCredentials } from './session/credentials.ts';
import { takeEarlyResponse } from './session/early.ts';
import { base } from './session/page-data.ts';
import { isLoggedIn, isLoginNeeded, requestLogin, session } from './session/session.ts';
import { token } from './session/token.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: unknown;
}

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Aborts a request whose answer is no longer needed. */
  readonly signal?: AbortSignal | undefined;
  /** A request with an `Idempotency-Key` is stored once, however often it is sent. */
  readonly idempotencyKey?: string | undefined;
  /** Nobody waits for the answer: the request never asks for credentials, and outlives the page. */
  readonly inBackground?: boolean;
}

/** Whether the service has accepted the session or the token of this page. */
let hadCredentials = isLoggedIn;
/** The position of the latest write, if the service reports it. Later reads are not older. */
let newest: string | undefined;
/** An adopted database may have no table for the keys. The service then rejects a key (501) before any write. */
let areKeysSupported = true;

/** Sends a request. `url` is a path of the service. */
export async function ask(url: string, request: RequestOptions = {}): Promise<Answer> {
  const { method = 'GET', body, idempotencyKey, inBackground: keepalive = false } = request;
  const headers = headersFor(request.headers);
  if (newest !== undefined) headers.set(POSITION_HEADER, newest);
  if (idempotencyKey !== undefined && areKeysSupported) headers.set('idempotency-key', idempotencyKey);
  // The browser adds the type of a form, with its boundary.
  if (body !== undefined && !(body instanceof FormData) && !headers.has('content-type'))
    headers.set('content-type', 'application/json');
  const isRaw = typeof body === 'string' || body instanceof Blob || body instanceof FormData;
  const content = body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) };
  const response = await (takeEarlyResponse(method, url, headers) ??
    fetch(`${base}${url}`, {
      method,
      headers,
      keepalive,
      ...content,
      ...(request.signal && { signal: request.signal }),
    }));
  newest = response.headers.get(POSITION_HEADER) ?? newest;
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  const json: unknown = isJson && text !== '' ? parseExactly(text) : undefined;
  if (response.ok) {
    hadCredentials ||= headers.has('authorization');
    return { status: response.status, headers: response.headers, json };
  }
  const error = new ApiError(response.status, problemIn(json, response));
  if (response.status === 401 && !keepalive && (await askForCredentials(error.message))) return ask(url, request);
  if (problemOf(error)?.code === 'CAT501' && headers.has('idempotency-key')) {
    areKeysSupported = false;
    return ask(url, request);
  }
  throw error;
}

const ATTEMPTS = 3;
const PAUSE_MS = 1_000;

/** Sends a request again if no answer comes. Its `idempotencyKey` makes sure that it is stored once. */
export async function askUntilAnswered(url: string, request: RequestOptions): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask(url, request);
    } catch (error) {
      // fetch throws a TypeError if no answer came.
      if (!(error instanceof TypeError) || attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/** A streamed response, such as an export or a feed, which does not have to fit into memory. */
export async function askStream(url: string, request: RequestOptions): Promise<ReadableStream<Uint8Array>> {
  const { method = 'GET', headers, signal } = request;
  const response = await fetch(`${base}${url}`, { method, headers: headersFor(headers), ...(signal && { signal }) });
  if (response.ok && response.body !== null) return response.body;
  const json: unknown = await response.json().catch(() => undefined);
  const error = new ApiError(response.status, problemIn(json, response));
  if (response.status === 401 && method !== 'GET' && (await askForCredentials(error.message)))
    return askStream(url, request);
  throw error;
}

/** The objects of a streamed response, as they come. An error may be the last one. */
export async function* askLines(url: string, request: RequestOptions): AsyncGenerator<object> {
  const headers = { ...request.headers, accept: 'application/x-ndjson' };
  const body = (await askStream(url, { ...request, headers })).pipeThrough(new TextDecoderStream() as never);
  let rest = '';
  for await (const part of body as unknown as AsyncIterable<string>) {
    const lines = (rest + part).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      const value = parseExactly(line) as { readonly position?: string } & Partial<Problem>;
      if (value.code !== undefined) throw new ApiError(STREAM_FAILED, value as Problem);
      newest = value.position ?? newest;
      yield value;
    }
  }
}

/** The status of an error after the beginning of a response, which has none. */
const STREAM_FAILED = 409;

function headersFor(given: Readonly<Record<string, string>> = {}): Headers {
  const headers = new Headers(given);
  if (!headers.has('accept')) headers.set('accept', 'application/json');
  const credentials = token.get();
  if (credentials !== undefined) headers.set('authorization', `Bearer ${credentials}`);
  return headers;
}

function problemIn(json: unknown, response: Response): Problem {
  const problem = json as Partial<Problem> | undefined;
  if (typeof problem?.message === 'string') return { code: `HTTP${response.status}`, ...problem } as Problem;
  return { code: `HTTP${response.status}`, message: response.statusText || String(response.status) };
}

/**
 * Gets new credentials after a 401. A page whose credentials were accepted before asks for new ones in a dialog, and
 * this resolves to whether it got them. Any other page starts again, with the login page.
 */
async function askForCredentials(reason: string): Promise<boolean> {
  const renewal = hadCredentials ? renewCredentials(reason) : undefined;
  if (renewal !== undefined) return renewal;
  if (session !== undefined) {
    if (!isLoginNeeded()) requestLogin(reason);
    return false;
  }
  if (token.isAskedFor() && token.get() === undefined) return false;
  if (token.get() !== undefined) token.noteRefusal(reason);
  token.clear();
  token.noteAsked();
  location.reload();
  return false;
}

/**
 * Parses JSON without losing digits. A number with too many digits becomes a text in a row; within json it stays an
 * exact number.
 */
export function parseExactly(text: string): unknown {
  if (!/[\d.]{16}/.test(text)) return JSON.parse(text);
  const json: unknown = JSON.parse(text, ((_name: string, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === 'number' && source !== undefined && /[\d.]{16}/.test(source)
      ? new WrittenNumber(source)
      : value) as never);
  return Array.isArray(json) ? json.map(exactRow) : exactRow(json);
}

/** A row whose numbers with too many digits are texts. */
export function exactRow(row: unknown): unknown {
  if (row instanceof WrittenNumber) return row.text;
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return row;
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof WrittenNumber ? value.text : value]),
  );
}

/** The number of rows in `Content-Range`: the total in `0-24/77`, or the size of the page in `0-24/*`. */
export function countIn(headers: Headers): number {
  const range = headers.get('content-range') ?? '';
  const total = /\/(\d+)$/.exec(range);
  if (total !== null) return Number(total[1]);
  const [, from, to] = /^(\d+)-(\d+)\//.exec(range) ?? [];
  return to === undefined ? 0 : Number(to) - Number(from) + 1;
}
