/**
 * A thread for costly reads. It is given turns: one begins a read, each further one makes the next part of a long result. A
 * read has a connection of its own for as long as it lasts; what is sent is encoded already.
 */
import type { Row } from '../../collection/value.ts';
import { closing, encodeChunk, opening } from '../../encode/encoding.ts';
import { firstPart } from '../../encode/parts.ts';
import { GATHERED_LENGTH, PART_LENGTH } from '../../limits.ts';
import { endIn } from '../compile/output.ts';
import type { Statement } from '../compile/statement.ts';
import { Connection } from './connection.ts';
import { clearDeadline, setDeadline, spendRows } from './deadline.ts';
import { checkFiles } from './files.ts';
import { forgetPatterns } from './functions.ts';
import { TooManyGroups } from './gathered-groups.ts';
import { asOutcome } from './outcome.ts';
import type { ReaderAnswer, ReaderRequest, ReadJob } from './reader.ts';
import { translateError } from './refusals.ts';

declare const self: Worker;

interface Reading {
  readonly connection: Connection;
  /** Encoded text, a part at a time. */
  readonly parts: Generator<string, void>;
  /** What is encoded already, and was not sent yet. */
  rest: string;
}

interface Progress {
  rows: number;
  last?: Row | undefined;
}

const AT_ONCE = { rows: 200, length: PART_LENGTH };
/** Connections kept open for the next reads. */
const MAX_IDLE = 4;
/** The collector runs after so much text: left to itself, it lets the copies of long rows pile up to a gigabyte. */
const TEXT_TO_COLLECT = 16 * 1024 * 1024;

let terms: Extract<ReaderRequest, { kind: 'open' }>;
const idle: Connection[] = [];
const readings = new Map<number, Reading>();
const encoder = new TextEncoder();
/** The length of what was encoded since the collector ran. */
let encoded = 0;

self.onmessage = ({ data }: MessageEvent<ReaderRequest>) => {
  const answer = handle(data);
  if (answer === undefined) return;
  const part = answer.kind === 'part' ? answer.part : undefined;
  self.postMessage(answer, part === undefined ? [] : [part.buffer as ArrayBuffer]);
  if (encoded < TEXT_TO_COLLECT) return;
  encoded = 0;
  Bun.gc(true);
};

function handle(request: ReaderRequest): ReaderAnswer | undefined {
  switch (request.kind) {
    case 'open':
      terms = request;
      return undefined;
    case 'begin':
      return attempt(request.id, () => begin(request));
    case 'next':
      return attempt(request.id, () => next(request.id));
    case 'cancel':
      end(request.id);
      return undefined;
    case 'give-back-memory':
      Bun.gc(true);
      return undefined;
    case 'close':
      for (const id of readings.keys()) end(id);
      for (const connection of idle.splice(0)) connection.close();
      return { kind: 'closed' };
  }
}

/** The time limit is that of a turn: how long a read waited for it does not count. */
function attempt(id: number, work: () => ReaderAnswer): ReaderAnswer {
  setDeadline(terms.limitMs);
  try {
    return work();
  } catch (error) {
    end(id);
    return { kind: 'failed', outcome: asOutcome(translateError(error)) };
  } finally {
    clearDeadline();
  }
}

/** The rows up to a megabyte may be all there are. Beyond, they are counted, and sent as they are asked for. */
function begin({ id, job, emptyLog }: Extract<ReaderRequest, { kind: 'begin' }>): ReaderAnswer {
  const connection = idle.pop() ?? open();
  const progress: Progress = { rows: 0 };
  const reading: Reading = { connection, parts: readParts(connection, job, progress), rest: '' };
  readings.set(id, reading);
  if (emptyLog) connection.emptyLog();
  connection.begin();
  let text = '';
  while (text.length < GATHERED_LENGTH) {
    const part = reading.parts.next();
    if (part.done === true) {
      const total = job.wantsTotal ? { total: connection.number(job.count) } : {};
      end(id);
      return { kind: 'whole', text, returned: progress.rows, ...total, end: endIn(job.endNames, progress.last) };
    }
    text += part.value;
  }
  reading.rest = text;
  const total = connection.number(job.count);
  const returned = Math.max(0, Math.min(total - job.offset, job.limit ?? Number.POSITIVE_INFINITY));
  const last = job.end === undefined || returned !== job.limit ? undefined : connection.rows(job.end.statement)[0];
  return { kind: 'long', returned, ...(job.wantsTotal ? { total } : {}), end: endIn(job.end?.names, last) };
}

function open(): Connection {
  return new Connection(terms.path, { readOnly: true, prepare: () => checkFiles(terms.files) });
}

function* readParts(connection: Connection, job: ReadJob, progress: Progress): Generator<string, void> {
  if (job.gathered === undefined)
    return yield* encodedParts(connection, betterStatement(connection, job), job, progress);
  try {
    yield* encodedParts(connection, job.gathered, job, progress);
  } catch (error) {
    // Before the first of them: they are known when all rows have been read.
    if (!(error instanceof TooManyGroups)) throw error;
    yield* encodedParts(connection, job.statement, job, progress);
  }
}

function* encodedParts(
  connection: Connection,
  statement: Statement,
  { encoding, form }: ReadJob,
  progress: Progress,
): Generator<string, void> {
  let text = opening(encoding);
  for (const rows of connection.chunks(statement, AT_ONCE)) {
    spendRows(rows.length);
    text += encodeChunk(rows, encoding, form, progress.rows === 0);
    progress.rows += rows.length;
    progress.last = rows.at(-1);
    if (text.length < PART_LENGTH) continue;
    encoded += text.length;
    yield text;
    text = '';
  }
  yield text + closing(encoding);
}

function betterStatement(connection: Connection, { statement, narrowed }: ReadJob): Statement {
  if (narrowed === undefined) return statement;
  const { isBetter } = narrowed;
  return isBetter === undefined || connection.number(isBetter) === 1 ? narrowed.statement : statement;
}

function next(id: number): ReaderAnswer {
  const reading = readings.get(id);
  // The thread that began it has died: what is left out must not look like the end.
  if (reading === undefined) throw new Error('the read is not known to this thread');
  if (reading.rest === '') {
    const part = reading.parts.next();
    if (part.done === true) {
      end(id);
      return { kind: 'part' };
    }
    reading.rest = part.value;
  }
  const part = firstPart(reading.rest);
  reading.rest = reading.rest.slice(part.length);
  return { kind: 'part', part: encoder.encode(part) };
}

/** However far it was read: its connection is the next read's only if nothing is being read on it any more. */
function end(id: number): void {
  const reading = readings.get(id);
  if (reading === undefined) return;
  readings.delete(id);
  const { connection } = reading;
  const isSettled = connection.settle();
  if (!isSettled) self.postMessage({ kind: 'stale' } satisfies ReaderAnswer);
  if (isSettled && idle.length < MAX_IDLE) idle.push(connection);
  else connection.close();
  forgetPatterns();
}
