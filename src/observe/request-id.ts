/** A name for a request, which is on its answer and in the log: the client's own where it sent a sane one, else ours. */
import type { RequestIds } from '../response/observed.ts';

/** Where requests leave no line in the log, only a client's own name is told back, and refusals are named. */
export function requestIds(areLogged: boolean): RequestIds {
  return { of: areLogged ? (request) => given(request) ?? make() : given, make };
}

/** What a proxy or a client makes; anything else could be used to forge lines or headers. */
const SANE = /^[A-Za-z0-9._~:@+/=-]{1,128}$/;

function given(request: Request): string | undefined {
  const header = request.headers.get('x-request-id');
  return header !== null && SANE.test(header) ? header : undefined;
}

/** Ours are short: where this process began, and how many requests it had. Many are made at a time, which is cheaper. */
const prefix = `${Date.now().toString(36)}${Math.floor(Math.random() * 46_656).toString(36)}-`;
const TOGETHER = 64;
let count = 0;
let ready: string[] = [];

function make(): string {
  if (ready.length === 0) ready = Array.from({ length: TOGETHER }, () => prefix + (++count).toString(36)).reverse();
  return ready.pop()!;
}
