/** The thread that writes: it owns the writing connection and knows nothing but jobs. */
import type { Collection } from '../../collection/declaration.ts';
import { QUICK_PAGE_ROWS } from '../../limits.ts';
import { applyJobs, type WriteBounds } from './apply.ts';
import { Connection } from './connection.ts';
import type { WriterAnswer, WriterRequest } from './writer.ts';

declare const self: Worker;

let open: { connection: Connection; collection: Collection; bounds: WriteBounds } | undefined;

self.onmessage = ({ data }: MessageEvent<WriterRequest>) => {
  self.postMessage(answer(data));
};

/** How often values repeat decides which reads are quick; some entries of each index tell it well enough. */
function gatherStatistics({ db }: Connection): void {
  db.run(`pragma analysis_limit = ${2 * QUICK_PAGE_ROWS}`);
  db.run('pragma optimize = 0x10002');
}

function answer(request: WriterRequest): WriterAnswer {
  try {
    switch (request.kind) {
      case 'open':
        open = { ...request, connection: new Connection(request.path) };
        gatherStatistics(open.connection);
        return { outcomes: [] };
      case 'commit':
        if (open === undefined) throw new Error('the writing connection is not open');
        return { outcomes: applyJobs(open.connection, open.collection, request.jobs, open.bounds) };
      case 'close':
        open?.connection.close();
        return { outcomes: [] };
    }
  } catch (error) {
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
