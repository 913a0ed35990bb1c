/** A name for every request: the client's own where it sent a sane one, else ours. It is on the answer and in the log. */

/** What a proxy or a client makes; anything else could be used to forge lines or headers. */
const SANE = /^[A-Za-z0-9._~:@+/=-]{1,128}$/;

/** Ours are short: where this process began, and how many requests it had. Many are made at a time, which is cheaper. */
const prefix = `${Date.now().toString(36)}${Math.floor(Math.random() * 46_656).toString(36)}-`;
const TOGETHER = 64;
let count = 0;
let ready: string[] = [];

export function requestId(request: Request): string {
  const given = request.headers.get('x-request-id');
  if (given !== null && SANE.test(given)) return given;
  if (ready.length === 0) ready = Array.from({ length: TOGETHER }, () => prefix + (++count).toString(36)).reverse();
  return ready.pop()!;
}
