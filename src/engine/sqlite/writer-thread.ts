/** The thread that writes: it owns the writing connection and knows nothing but jobs. */
import { declareCatalogue } from '../../collection/declaration.ts';
import { QUICK_PAGE_ROWS } from '../../limits.ts';
import { applyJobs } from './apply.ts';
import { Connection } from './connection.ts';
import { checkFiles } from './files.ts';
import type { Job } from './jobs.ts';
import { joined, type Part } from './long-jobs.ts';
import { asOutcome, type Outcome } from './outcome.ts';
import { translateError } from './refusals.ts';
import type { WriterAnswer, WriterRequest, WriterTerms } from './writer.ts';

declare const self: Worker;

let terms: WriterTerms | undefined;
let connection: Connection | undefined;
const received: Part[] = [];

self.onmessage = ({ data }: MessageEvent<WriterRequest>) => {
  const told = answer(data);
  if (told !== undefined) self.postMessage(told);
};

function answer(request: WriterRequest): WriterAnswer | undefined {
  switch (request.kind) {
    case 'open':
      terms = { ...request, catalogue: declareCatalogue(request.catalogue) };
      // At once, so that the first write finds it open; where that fails, the first write is told why.
      attempt(open);
      return undefined;
    case 'part':
      received.push(request.part);
      return undefined;
    case 'commit':
      return attempt(() => ({ outcomes: commit(whole(request)), stale: connection?.settle() === false }));
    case 'close':
      return attempt(() => {
        connection?.close();
        return { outcomes: [], stale: false };
      });
  }
}

/** The jobs, of which a long one has come in parts. */
function whole({ jobs, parts = 0 }: Extract<WriterRequest, { kind: 'commit' }>): readonly Job[] {
  const came = received.splice(0);
  if (parts === 0) return jobs;
  // Some of them went to a thread that has died.
  if (came.length !== parts) throw new Error('parts of a job are missing');
  return [joined(jobs[0]!, came)];
}

function attempt<T>(work: () => T): T | { readonly fault: string } {
  try {
    return work();
  } catch (error) {
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function commit(jobs: readonly Job[]): readonly Outcome[] {
  const { catalogue, bounds, files } = terms!;
  try {
    checkFiles(files);
    return applyJobs(open(), catalogue, jobs, bounds);
  } catch (error) {
    const outcome = asOutcome(translateError(error));
    return jobs.map(() => outcome);
  }
}

function open(): Connection {
  if (connection !== undefined) return connection;
  const { path, files } = terms!;
  const opened = new Connection(path, { prepare: () => checkFiles(files) });
  gatherStatistics(opened);
  opened.waitInTurn();
  connection = opened;
  return opened;
}

/** How often values repeat decides which reads are quick; some entries of each index tell it well enough. */
function gatherStatistics(connection: Connection): void {
  try {
    connection.execute(`pragma analysis_limit = ${2 * QUICK_PAGE_ROWS}`);
    connection.execute('pragma optimize = 0x10002');
  } catch {
    // Another process is writing: what it knows of the values is good enough.
  }
}
