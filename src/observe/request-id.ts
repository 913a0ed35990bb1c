/** Request ids for responses and the log: the client's own if it is well-formed, otherwise a generated one. */
import type { Call } from '../http/call.ts';
import type { RequestIds } from '../response/logging.ts';

/**
 * Without a request log, reads return only clients' own ids. Writes and error responses always have one: the log of
 * changes contains it.
 */
export function requestIds(areLogged: boolean, traceParent?: () => string | undefined): RequestIds {
  return { of: (call) => clientId(call) ?? traceParent?.() ?? (areLogged || !call.isRead ? make() : undefined), make };
}

/** Other characters could forge log lines or headers. */
const SAFE = /^[A-Za-z0-9._~:@+/=-]{1,128}$/;

function clientId({ requestId }: Call): string | undefined {
  return requestId !== null && SAFE.test(requestId) ? requestId : undefined;
}

/** Generated ids are short: the start time of the process and a counter. */
const prefix = `${Date.now().toString(36)}${Math.floor(Math.random() * 46_656).toString(36)}-`;
let count = 0;

function make(): string {
  return prefix + (++count).toString(36);
}
