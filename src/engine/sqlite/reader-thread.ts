/**
 * A thread for costly reads. Each read has a connection of its own for as long as it lasts, so that a long export and
 * a search take turns; what it sends is encoded already, and no more than its reader asks for.
 */
import type { Row, Value } from '../../collection/value.ts';
import { closing, encodeChunk, opening } from '../../encode/encoding.ts';
import { GATHERED_LENGTH, PART_LENGTH } from '../../limits.ts';
import { endOf } from '../compile/output.ts';
import { Connection } from './connection.ts';
import { clearDeadline, setDeadline } from './deadline.ts';
import { forgetPatterns } from './functions.ts';
import { asOutcome } from './outcome.ts';
import type { ReaderAnswer, ReaderRequest, ReadJob } from './readers.ts';

declare const self: Worker;

interface Reading {
  readonly connection: Connection;
  /** Yields encoded text, a part at a time. */
  readonly parts: Generator<string, void>;
  readonly progress: Progress;
}

interface Progress {
  rows: number;
  last?: Row;
}

let path = '';
const idle: Connection[] = [];
const readings = new Map<number, Reading>();
const encoder = new TextEncoder();

self.onmessage = ({ data }: MessageEvent<ReaderRequest>) => {
  const [answer, transfer] = handle(data);
  if (answer !== undefined) self.postMessage(answer, transfer);
};

function handle(request: ReaderRequest): [ReaderAnswer | undefined, ArrayBuffer[]] {
  switch (request.kind) {
    case 'open':
      path = request.path;
      return [undefined, []];
    case 'read':
      return [attempt(request.id, () => begin(request.id, request.job)), []];
    case 'next': {
      const answer = attempt(request.id, () => next(request.id, request.deadline));
      return [answer, answer.kind === 'part' && answer.part !== undefined ? [answer.part.buffer as ArrayBuffer] : []];
    }
    case 'cancel':
      end(request.id);
      return [undefined, []];
    case 'close':
      for (const id of readings.keys()) end(id);
      for (const connection of idle.splice(0)) connection.close();
      return [{ kind: 'closed', id: request.id }, []];
  }
}

function attempt(id: number, work: () => ReaderAnswer): ReaderAnswer {
  try {
    return work();
  } catch (error) {
    end(id);
    return { kind: 'failed', id, outcome: asOutcome(error) };
  }
}

/** The rows up to a few megabytes may be all there are. Beyond, they are counted, and sent as they are asked for. */
function begin(id: number, job: ReadJob): ReaderAnswer {
  const connection = idle.pop() ?? new Connection(path, { readOnly: true });
  const progress: Progress = { rows: 0 };
  const reading: Reading = { connection, progress, parts: readParts(connection, job, progress) };
  readings.set(id, reading);
  setDeadline(job.deadline);
  connection.db.run('begin');
  const counted = () => connection.number(job.count);
  let text = '';
  let done = false;
  while (!done && text.length < GATHERED_LENGTH) {
    const part = reading.parts.next();
    if (part.done === true) done = true;
    else text += part.value;
  }
  if (!done) {
    const total = counted();
    const returned = Math.max(0, Math.min(total - job.offset, job.limit ?? Number.POSITIVE_INFINITY));
    readings.set(id, { ...reading, parts: chain(text, reading.parts) });
    const last = job.end === undefined || returned !== job.limit ? undefined : connection.rows(job.end.statement)[0];
    return { kind: 'long', id, returned, ...(job.wantsTotal ? { total } : {}), end: endOf(job.end?.names, last) };
  }
  const total = job.wantsTotal ? { total: counted() } : {};
  end(id);
  return { kind: 'whole', id, text, returned: progress.rows, ...total, end: endOf(job.endNames, progress.last) };
}

function* chain(first: string, rest: Generator<string, void>): Generator<string, void> {
  yield first;
  yield* rest;
}

function* readParts(connection: Connection, job: ReadJob, progress: Progress): Generator<string, void> {
  const { statement, encoding, form } = job;
  let text = opening(encoding);
  let rows: Row[] = [];
  let isFirst = true;
  const encode = () => {
    text += encodeChunk(rows, encoding, form, isFirst);
    isFirst = isFirst && rows.length === 0;
    rows = [];
  };
  // A statement that is being stepped cannot be shared: two exports may have the same SQL.
  const prepared = connection.db.prepare<Row, Value[]>(statement.sql);
  try {
    for (const row of prepared.iterate(...(statement.params as Value[]))) {
      rows.push(row);
      progress.rows++;
      progress.last = row;
      if (rows.length === 200) {
        encode();
        if (text.length >= PART_LENGTH) {
          yield text;
          text = '';
        }
      }
    }
    encode();
    yield text + closing(encoding);
  } finally {
    prepared.finalize();
  }
}

function next(id: number, deadline: number): ReaderAnswer {
  const reading = readings.get(id);
  // The thread that began it has died: what is left out must not look like the end.
  if (reading === undefined) throw new Error('the read is not known to this thread');
  setDeadline(deadline);
  const part = reading.parts.next();
  if (part.done !== true) return { kind: 'part', id, part: encoder.encode(part.value) };
  end(id);
  return { kind: 'part', id };
}

function end(id: number): void {
  const reading = readings.get(id);
  if (reading === undefined) return;
  readings.delete(id);
  reading.parts.return();
  clearDeadline();
  const { connection } = reading;
  if (connection.db.inTransaction) connection.db.run('commit');
  idle.push(connection);
  forgetPatterns();
}
