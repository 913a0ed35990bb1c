/** Requests to the API, with the person's credentials and structured errors. */

import { WrittenNumber } from '../../../collection/exact-json.ts';
import { Store } from '../base/store.ts';
import { ApiError, type Problem, problemOf } from './errors.ts';
import { untilAnswered } from './session/connection.ts';
import { takeEarlyResponse } from './session/early.ts';
import { base } from './session/page-data.ts';
import { hasSession, isLoggedIn, isLoginNeeded, requestLogin, session, token } from './session/session.ts';

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Aborts a request whose answer is no longer needed. */
  readonly signal?: AbortSignal | undefined;
  /** A request with an `Idempotency-Key` is stored once. If no answer comes, it is sent again. */
  readonly idempotencyKey?: string | undefined;
  /** Nobody waits for the answer: the request never asks for credentials, and a write outlives the page. */
  readonly inBackground?: boolean;
}

const POSITION_HEADER = 'catalogue-position';
/** The position of the latest write, if the service reports it. Later reads are not older. */
let newest: string | undefined;
/**
 * The rejection of an ended session. The service deletes its cookie, and a request without it would be that of a
 * visitor: nothing is sent before the next login.
 */
let ended: ApiError | undefined;
/** The number of logins since the page was opened. */
let logins = 0;
/** An adopted database may have no table for the keys. The service then rejects a key (501) before any write. */
let areKeysSupported = true;

/** Sends a request. `url` is a path of the service. */
export async function ask(url: string, request: RequestOptions = {}) {
  const response = await send(url, request);
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  const json: unknown = isJson && text !== '' ? parseExactly(text) : undefined;
  return { headers: response.headers, json };
}

/** The successful response to a request. Its body may be a stream, such as an export or a feed. */
export async function send(url: string, request: RequestOptions): Promise<Response> {
  const { method = 'GET', body, signal = null, idempotencyKey, inBackground = false } = request;
  const hasKey = idempotencyKey !== undefined && areKeysSupported;
  const mayRepeat = hasKey && !inBackground;
  const isRaw = typeof body === 'string' || body instanceof Blob || body instanceof FormData;
  const content = body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) };
  const keepalive = inBackground && method !== 'GET';
  let earlierLogins = logins;
  const attempt = async () => {
    if (ended !== undefined && (inBackground || !(await askForCredentials(ended.message)))) throw ended;
    earlierLogins = logins;
    const headers = headersFor(request.headers);
    if (newest !== undefined) headers.set(POSITION_HEADER, newest);
    if (hasKey) headers.set('idempotency-key', idempotencyKey);
    // The browser adds the type of a form, with its boundary.
    if (body !== undefined && !(body instanceof FormData) && !headers.has('content-type'))
      headers.set('content-type', 'application/json');
    const answer = await (takeEarlyResponse(method, url, headers) ??
      fetch(`${base}${url}`, { method, headers, keepalive, signal, ...content }));
    // The connection may be lost after the headers.
    return mayRepeat ? new Response((await answer.text()) || null, answer) : answer;
  };
  const response = await untilAnswered(attempt, mayRepeat);
  newest = response.headers.get(POSITION_HEADER) ?? newest;
  if (response.ok) return response;
  const error = new ApiError(response.status, problemIn(await response.text(), response));
  const isRejected = response.status === 401;
  // A late answer to a request from before the login may also have deleted the new cookie.
  if (isRejected && isLoggedIn && (logins === earlierLogins || !(await hasSession()))) ended = error;
  if (isRejected && !inBackground && (isLoggedIn || (await askForCredentials(error.message))))
    return send(url, request);
  if (problemOf(error)?.code === 'CAT501' && hasKey) {
    areKeysSupported = false;
    return send(url, request);
  }
  throw error;
}

/** The texts of a streamed response. */
export async function* askTexts(url: string, request: RequestOptions): AsyncGenerator<string> {
  const { body } = await send(url, request);
  const reader = (body!.pipeThrough(new TextDecoderStream() as never) as ReadableStream<string>).getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

/** The lines of a streamed response, as they come. */
export async function* askLines(url: string, request: RequestOptions): AsyncGenerator<string> {
  const headers = { ...request.headers, accept: 'application/x-ndjson' };
  let rest = '';
  for await (const text of askTexts(url, { ...request, headers })) {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    yield* lines.filter((line) => line !== '');
  }
}

/** The reports of a long request, as they come. An error may be the last one. */
export async function* askReports(url: string, request: RequestOptions): AsyncGenerator<object> {
  for await (const line of askLines(url, request)) {
    const value = parseExactly(line) as { readonly position?: string } & Partial<Problem>;
    if (value.code !== undefined) throw new ApiError(STREAM_FAILED, value as Problem);
    newest = value.position ?? newest;
    yield value;
  }
}

/** The status of an error after the beginning of a response, which has none. */
const STREAM_FAILED = 409;

function headersFor(given: Readonly<Record<string, string>> = {}): Headers {
  const headers = new Headers(given);
  if (!headers.has('accept')) headers.set('accept', 'application/json');
  // The fields themselves are edited, and not the translations that the browser would ask for.
  headers.set('accept-language', '*');
  const credentials = token.get();
  if (credentials !== undefined) headers.set('authorization', `Bearer ${credentials}`);
  return headers;
}

/** The error of a response. A proxy may send another text. */
function problemIn(text: string, { status, statusText, headers }: Response): Problem {
  const problem = /json/.test(headers.get('content-type') ?? '') ? (parseExactly(text) as Partial<Problem>) : {};
  return { code: `HTTP${status}`, message: statusText || String(status), ...problem };
}

/**
 * The end of the session or token of the page, until there are new credentials. A bar asks for them and leaves the
 * focus alone, so that the page keeps what was typed.
 */
export const credentialsEnd = new Store<CredentialsEnd | undefined>(undefined);
let renewal: Promise<boolean> | undefined;

interface CredentialsEnd {
  readonly reason: string;
  readonly close: (isRenewed: boolean) => void;
}

/** Asks once for all requests that are rejected together. They are then sent again. */
function renewCredentials(reason: string): Promise<boolean> {
  renewal ??= new Promise<boolean>((close) => credentialsEnd.set({ reason, close })).then((isRenewed) => {
    credentialsEnd.set(undefined);
    renewal = undefined;
    if (isRenewed) {
      ended = undefined;
      logins++;
    }
    return isRenewed;
  });
  return renewal;
}

/**
 * Gets new credentials after a 401. A page with a session or a token asks for new ones in a bar, and this resolves to
 * whether it got them. Any other page starts again, with the login page.
 */
async function askForCredentials(reason: string): Promise<boolean> {
  if (isLoggedIn || token.get() !== undefined) return renewCredentials(reason);
  if (session !== undefined) {
    if (!isLoginNeeded()) requestLogin(reason);
  } else if (!token.isAskedFor()) {
    token.noteAsked();
    location.reload();
  }
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
