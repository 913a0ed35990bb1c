/** Requests to the API, with the person's credentials and the service's own error messages. */

import { WrittenNumber } from '../../../../collection/exact-json.ts';
import { POSITION_HEADER } from '../../../../http/position.ts';
import { base } from './base.ts';
import { renewCredentials } from './credentials.ts';
import { takeEarlyResponse } from './early.ts';
import { HttpError } from './http-error.ts';
import { isLoggedIn, isLoginNeeded, requestLogin, session } from './session.ts';
import { token } from './token.ts';

/**
 * Gets new credentials after a 401. A page whose credentials were accepted before asks for new ones in a dialog, and
 * this resolves to whether it got them. Any other page starts again, with the login page.
 */
async function askForCredentials(reason: string): Promise<boolean> {
  if (hadCredentials) {
    const renewal = renewCredentials(reason);
    if (renewal !== undefined) return renewal;
  }
  if (session !== undefined) {
    if (!isLoginNeeded()) requestLogin(reason);
    return false;
  }
  if (token.isAskedFor() && token.get() === null) return false;
  if (token.get() !== null) token.noteRefusal(reason);
  token.clear();
  token.noteAsked();
  location.reload();
  return false;
}

export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly details: string | null;
  readonly hint: string | null;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  readonly json: unknown;
}

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Headers | Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Aborts a request whose answer is no longer needed. */
  readonly signal?: AbortSignal | undefined;
}

/** Whether the service has accepted the session or the token of this page. */
let hadCredentials = isLoggedIn;

/** The position of the latest write, if the service reports it. Later reads are not older. */
let newest: string | undefined;

/** Sends a request. `url` is a path of the service. */
export async function ask(url: string, request: RequestOptions = {}): Promise<Answer> {
  const { method = 'GET', headers: given, body, signal } = request;
  const headers = new Headers(given as HeadersInit);
  if (!headers.has('accept')) headers.set('accept', 'application/json');
  const credentials = token.get();
  if (credentials !== null) headers.set('authorization', `Bearer ${credentials}`);
  if (newest !== undefined) headers.set(POSITION_HEADER, newest);
  if (body !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json');
  const content = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
  const response = await (takeEarlyResponse(method, url, headers) ??
    fetch(`${base}${url}`, { method, headers, ...content, ...(signal && { signal }) }));
  newest = response.headers.get(POSITION_HEADER) ?? newest;
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  const json: unknown = isJson && text !== '' ? parseExactly(text) : undefined;
  if (!response.ok) {
    const reason = sentence(json as Problem | undefined, response.status);
    if (response.status === 401 && (await askForCredentials(reason))) return ask(url, request);
    throw new HttpError(reason, response.status, json);
  }
  hadCredentials ||= credentials !== null;
  return { status: response.status, headers: response.headers, body: text, json };
}

/**
 * Parses JSON without losing digits. A number with too many digits becomes a text in a row; within json it stays an
 * exact number.
 */
function parseExactly(text: string): unknown {
  if (!/[\d.]{16}/.test(text)) return JSON.parse(text);
  const json: unknown = JSON.parse(text, ((_name: string, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === 'number' && source !== undefined && /[\d.]{16}/.test(source)
      ? new WrittenNumber(source)
      : value) as never);
  return Array.isArray(json) ? json.map(withTexts) : withTexts(json);
}

function withTexts(row: unknown): unknown {
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

function sentence(problem: Problem | undefined, status: number): string {
  if (problem?.message === undefined) return `The service answered ${status}.`;
  return [problem.message, problem.details, problem.hint].filter((part) => part).join(' · ');
}

export function problemOf(error: unknown): Problem | undefined {
  return error instanceof HttpError ? (error.body as Problem | undefined) : undefined;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
