/** The answer to a batch: status, headers and body of each request, in order. */
import type { Preferences } from '../dialect/prefer.ts';
import type { Write, WriteResult } from '../engine/engine.ts';
import type { Answer } from '../http/answer.ts';
import { POSITION_HEADER } from '../http/call.ts';
import { CORS_HEADERS } from '../http/edge/cors.ts';
import { JSON_MEDIA, type Media } from '../http/negotiate.ts';
import { type WriteAsked, writeAnswer } from './write.ts';

export type BatchWrite = WriteAsked & Write;

/** Headers that concern the batch as a whole. */
const SHARED = [POSITION_HEADER, 'idempotency-replayed'];

export function batchAnswer(
  writes: readonly BatchWrite[],
  { tx }: Preferences,
  results: readonly WriteResult[],
): Answer {
  const answers = writes.map((write, index) => writeAnswer(write, shownResult(write, results[index]!)));
  const shared = Object.entries(answers[0]!.headers).filter(([name]) => SHARED.includes(name));
  return {
    status: 200,
    headers: {
      ...CORS_HEADERS,
      'content-type': JSON_MEDIA.contentType,
      ...(tx === undefined ? {} : { 'preference-applied': `tx=${tx}` }),
      ...Object.fromEntries(shared),
    },
    rows: results.reduce((sum, { affected }) => sum + affected, 0),
    body: `[${answers.map((answer, index) => printAnswer(answer, writes[index]!.media)).join(',')}]`,
  };
}

/** Without rows that only later requests of the batch need. */
function shownResult({ preferences }: BatchWrite, result: WriteResult): WriteResult {
  if (preferences.return === 'representation') return result;
  const { body: _, shown: __, isBodyOmitted: ___, ...rest } = result;
  return rest;
}

function printAnswer({ status, headers, body }: Answer, { format }: Media): string {
  const own = Object.entries(headers).filter(([name]) => !Object.hasOwn(CORS_HEADERS, name) && !SHARED.includes(name));
  const text = format === 'json' ? String(body) : JSON.stringify(body);
  return `{"status":${status},"headers":${JSON.stringify(Object.fromEntries(own))},"body":${text}}`;
}
