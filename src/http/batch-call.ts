/** Reads the requests in the body of a batch. */
import { ApiError, withRequest } from '../base/errors.ts';
import { MAX_BATCH_REQUESTS } from '../base/limits/http.ts';
import { isObject } from '../collection/exact-json.ts';
import type { Document } from '../encode/document.ts';

export const BATCH_WRITES = ['POST', 'PATCH', 'PUT', 'DELETE'] as const;
const MEMBERS = ['method', 'path', 'headers', 'body', 'affects'];
export const BATCH_HEADERS = ['accept', 'content-type', 'if-match', 'if-none-match', 'prefer'];

/** One write of a batch, as the client sent it. */
export interface BatchRequest {
  readonly method: (typeof BATCH_WRITES)[number];
  /** Path and query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: unknown;
  /** The number of rows that it must affect. */
  readonly affects?: number;
}

export function readBatch(document: Document): readonly BatchRequest[] {
  const list = document.kind === 'json' ? document.value : undefined;
  if (!Array.isArray(list) || list.length === 0) {
    const problem = Array.isArray(list) ? 'the batch is empty' : 'a batch is a JSON array of requests';
    throw invalidBatch(problem, 'Send [{"method": "POST", "path": "/…", "body": {…}}, …].');
  }
  if (list.length > MAX_BATCH_REQUESTS) {
    throw new ApiError('54000', `a batch may have ${MAX_BATCH_REQUESTS} requests, and not ${list.length}`, {
      nothingChanged: true,
      hint: 'Send several batches, or many rows in one request.',
    });
  }
  return list.map(readRequest);
}

function readRequest(value: unknown, index: number): BatchRequest {
  try {
    if (!isObject(value)) throw invalidBatch('a request of a batch is an object', `It has ${MEMBERS.join(', ')}.`);
    const unknown = Object.keys(value).find((name) => !MEMBERS.includes(name));
    if (unknown !== undefined)
      throw invalidBatch(`'${unknown}' is not a key of a request`, `The keys are ${MEMBERS.join(', ')}.`);
    const { method, path, headers = {}, body, affects } = value;
    if (!BATCH_WRITES.some((each) => each === method)) {
      throw invalidBatch(`method: ${print(method)} is not a write`, `Use one of ${BATCH_WRITES.join(', ')}.`);
    }
    if (typeof path !== 'string' || path[0] !== '/' || !path.isWellFormed()) {
      throw invalidBatch(`path: ${print(path)} is not a path`, 'It begins with /, as in /products?id=eq.1.');
    }
    if (method === 'DELETE' && body !== undefined) throw invalidBatch('a DELETE has no body', 'Filter in its path.');
    if (affects !== undefined && !(Number.isSafeInteger(affects) && (affects as number) >= 0)) {
      throw invalidBatch(
        `affects: ${print(affects)} is not a number of rows`,
        'Use a whole number, as in "affects": 1.',
      );
    }
    return {
      method: method as BatchRequest['method'],
      path,
      headers: readHeaders(headers),
      body,
      ...(affects === undefined ? {} : { affects: affects as number }),
    };
  } catch (error) {
    throw withRequest(error, index);
  }
}

function readHeaders(value: unknown): Headers {
  if (!isObject(value)) throw invalidBatch(`headers: ${print(value)} is not an object`, 'Use {"Prefer": "…"}.');
  const headers = new Headers();
  for (const [name, text] of Object.entries(value)) {
    if (!BATCH_HEADERS.includes(name.toLowerCase())) {
      throw invalidBatch(
        `headers: a request cannot have ${name}`,
        `Allowed: ${BATCH_HEADERS.join(', ')}. Others go with the batch.`,
      );
    }
    if (typeof text !== 'string') throw invalidBatch(`headers: ${name} is ${print(text)}, not a text`, 'Use a text.');
    try {
      headers.append(name, text);
    } catch {
      throw invalidBatch(`headers: ${print(text)} is not a value of ${name}`, 'Use one line of ASCII.');
    }
  }
  return headers;
}

function print(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

/** The error of a batch whose form is wrong. */
export function invalidBatch(message: string, hint: string): ApiError {
  return new ApiError('PGRST102', message, { nothingChanged: true, hint });
}
