/**
 * A thread for costly reads. It runs turns: the first starts a read, each further one produces the next chunk of a
 * streamed result. A read has its own connection until its end; chunks are sent encoded.
 */
import { BUFFERED_LENGTH, PART_LENGTH } from '../../../base/limits/engine.ts';
import { type Catalogue, declareCatalogue } from '../../../collection/declaration.ts';
import type { Row } from '../../../collection/value.ts';
import { closing, encodeChunk, firstPart, opening } from '../../../encode/encoding.ts';
import { wordIndexOf } from '../../search/index-tables.ts';
import { RARER_WORDS } from '../../search/steps.ts';
import { withRelatedFirst } from '../../shared/plan-keys.ts';
import { lowerPriority, toThreadResult } from '../../shared/thread.ts';
import { outputOfRead, pageEndIn } from '../../sql/output.ts';
import { boundRow } from '../../sql/row-size.ts';
import type { Statement } from '../../sql/statement.ts';
import { Connection } from '../connection/connection.ts';
import { checkFiles } from '../connection/database-files.ts';
import { clearDeadline, setDeadline, spendRows } from '../connection/deadline.ts';
import { guardedDialect, sqliteDialect } from '../dialect.ts';
import { translateError } from '../errors.ts';
import { clearPatterns } from '../functions/define.ts';
import { TooManyGroups } from '../read/hash-groups.ts';
import { summaryOf } from '../read/read.ts';
import { rankOn } from '../search/word-index.ts';
import { PlanDecoder } from '../write/plan-messages.ts';
import { compileReadJob } from './read-job.ts';
import type { ReaderAnswer, ReaderRequest, ReadJob, SearchJob, TurnAnswer } from './reader.ts';

declare const self: Worker;

interface Reading {
  readonly connection: Connection;
  /** Encoded text in chunks. */
  parts: Generator<string, void>;
  /** Encoded but unsent text. */
  rest: string;
}

interface Progress {
  rows: number;
  last?: Row | undefined;
}

const AT_ONCE = { rows: 200, length: PART_LENGTH };
const MAX_IDLE = 4;
/** The collector runs after this much text; otherwise copies of long rows pile up to a gigabyte. */
const TEXT_TO_COLLECT = 16 * 1024 * 1024;

const NO_PARTS = (function* () {})();
let options: Extract<ReaderRequest, { kind: 'open' }>;
/** Made for the first search. */
let catalogue: Catalogue | undefined;
const idle: Connection[] = [];
const readings = new Map<number, Reading>();
const encoder = new TextEncoder();
/** The length of text encoded since the last collection. */
let encoded = 0;
/** Connections with a leaked statement since the last answer. */
let stale = 0;

self.onmessage = ({ data }: MessageEvent<ReaderRequest>) => {
  const answer = handle(data);
  if (answer === undefined) return;
  const part = answer.kind === 'part' ? answer.part : undefined;
  const message: ReaderAnswer = { ...answer, stale };
  stale = 0;
  self.postMessage(message, part === undefined ? [] : [part.buffer as ArrayBuffer]);
  if (encoded < TEXT_TO_COLLECT) return;
  encoded = 0;
  Bun.gc(true);
};

function handle(request: ReaderRequest): TurnAnswer | undefined {
  switch (request.kind) {
    case 'open':
      options = request;
      if (options.isBackground === true) lowerPriority();
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
      return { kind: 'part' };
  }
}

/** The time limit applies to a turn, without its waiting time. */
function attempt(id: number, work: () => TurnAnswer): TurnAnswer {
  setDeadline(options.limitMs);
  try {
    return work();
  } catch (error) {
    end(id);
    return { kind: 'failed', outcome: toThreadResult(translateError(error)) };
  } finally {
    clearDeadline();
  }
}

/** A result up to a megabyte is returned whole. Beyond that, rows are counted and streamed. */
function begin({ id, job: given, emptyLog }: Extract<ReaderRequest, { kind: 'begin' }>): TurnAnswer {
  const connection = idle.pop() ?? open();
  const progress: Progress = { rows: 0 };
  const reading: Reading = { connection, parts: NO_PARTS, rest: '' };
  readings.set(id, reading);
  if (emptyLog) connection.emptyLog();
  connection.begin();
  const job = 'search' in given ? rank(connection, given) : given;
  reading.parts = readParts(connection, job, progress);
  let text = '';
  while (text.length < BUFFERED_LENGTH) {
    const part = reading.parts.next();
    if (part.done === true) {
      const total = job.wantsTotal ? { total: connection.number(job.count) } : {};
      const found = { returned: progress.rows, ...total, ...summaryOf(connection, job.summary) };
      end(id);
      return { kind: 'whole', text, ...found, end: pageEndIn(job.endNames, progress.last) };
    }
    text += part.value;
  }
  reading.rest = text;
  const total = connection.number(job.count);
  const returned = Math.max(0, Math.min(total - job.offset, job.limit ?? Number.POSITIVE_INFINITY));
  const last = job.end === undefined || returned !== job.limit ? undefined : connection.rows(job.end.statement)[0];
  const found = { returned, ...(job.wantsTotal ? { total } : {}), ...summaryOf(connection, job.summary) };
  return { kind: 'long', ...found, end: pageEndIn(job.end?.names, last) };
}

/** Finds the rows of a search. The read that returns them sees the same state of the data. */
function rank(connection: Connection, { search, encoding }: SearchJob): ReadJob {
  catalogue ??= declareCatalogue(options.catalogue);
  const asked = new PlanDecoder(catalogue).read(search);
  setDeadline(options.limitMs, RARER_WORDS);
  const plan = withRelatedFirst(rankOn(connection, wordIndexOf(asked.from)!, asked));
  const output = boundRow(plan, outputOfRead(plan, encoding, sqliteDialect));
  return compileReadJob({ plan, encoding, output, dialect: guardedDialect }, undefined);
}

function open(): Connection {
  return new Connection(options.path, { readOnly: true, prepare: () => checkFiles(options.files) });
}

function* readParts(connection: Connection, job: ReadJob, progress: Progress): Generator<string, void> {
  for (const { statement, isBetter } of job.attempts) {
    if (isBetter !== undefined && connection.number(isBetter) !== 1) continue;
    try {
      return yield* encodedParts(connection, statement, job, progress);
    } catch (error) {
      // Thrown before the first group, since groups are known only after all rows.
      if (!(error instanceof TooManyGroups)) throw error;
    }
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

function next(id: number): TurnAnswer {
  const reading = readings.get(id);
  // The thread that started the read has died: the missing part must not look like the end.
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

/** The connection is reused only if nothing is being read on it. */
function end(id: number): void {
  const reading = readings.get(id);
  if (reading === undefined) return;
  readings.delete(id);
  const { connection } = reading;
  const isSettled = connection.settle();
  if (!isSettled) stale++;
  if (isSettled && idle.length < MAX_IDLE) idle.push(connection);
  else connection.close();
  clearPatterns();
}
