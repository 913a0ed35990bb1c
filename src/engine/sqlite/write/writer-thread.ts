/** The writer thread: it owns the writing connection. */
import { INLINE_PAGE_ROWS } from '../../../base/limits/engine.ts';
import { type Collection, declareCatalogue } from '../../../collection/declaration.ts';
import { type FailedResult, threadEnded, toThreadResult } from '../../shared/thread.ts';
import { Connection } from '../connection/connection.ts';
import { checkFiles } from '../connection/database-files.ts';
import { translateError } from '../errors.ts';
import { maintainLog } from '../history/log.ts';
import { DeclarationWatch } from '../schema/declaration-watch.ts';
import { indexPending } from '../search/search-index.ts';
import { compactNextWords, FEW_ROWS, indexWords } from '../search/word-index.ts';
import { applyWrites } from './apply-writes.ts';
import { encodeResult, PlanDecoder } from './plan-messages.ts';
import type { WriteList } from './writer.ts';
import type { WriterAnswer, WriterOptions, WriterRequest } from './writer-link.ts';

declare const self: Worker;

type CommitRequest = Extract<WriterRequest, { kind: 'commit' }>;

let terms: WriterOptions | undefined;
let connection: Connection | undefined;
let declarationWatch: DeclarationWatch | undefined;
const receivedSlices: (readonly unknown[])[] = [];

const CHECK_MS = 1_000;
/** After this long without writes, indexing continues soon. */
const QUIET_MS = 200;
/** It pauses this many times as long as it worked, to leave the lock and the CPU to others. */
const PAUSE_FACTOR = 3;
let lastCommit = Number.NEGATIVE_INFINITY;
let timer: ReturnType<typeof setTimeout> | undefined;

self.onmessage = ({ data }: MessageEvent<WriterRequest>) => {
  const message = answer(data);
  if (message !== undefined) self.postMessage(message);
};

function answer(request: WriterRequest): WriterAnswer | undefined {
  switch (request.kind) {
    case 'open':
      terms = { ...request, catalogue: declareCatalogue(request.catalogue) };
      // Opens at once for the first write; on failure the first write reports why.
      attempt(open);
      indexLater(CHECK_MS);
      return undefined;
    case 'slice':
      receivedSlices.push(request.slice);
      return undefined;
    case 'commit':
      lastCommit = performance.now();
      return attempt(() => {
        const { catalogue, bounds, files } = terms!;
        const lists = decodeLists(request);
        checkFiles(files);
        const results = applyWrites(open(), catalogue, lists, bounds, declarationWatch);
        const outcomes = results.map((result, at) => encodeResult(request.lists[at]!, result));
        return { outcomes, stale: connection?.settle() === false };
      });
    case 'index':
      return attempt(() => {
        const { catalogue, bounds } = terms!;
        indexWords(open(), catalogue.collections.get(request.collection)!, bounds.queueSeconds * 1000);
        return NOTHING;
      });
    case 'give-back-memory':
      Bun.gc(true);
      return undefined;
    case 'close':
      clearTimeout(timer);
      return attempt(() => {
        connection?.close();
        connection = undefined;
        return NOTHING;
      });
  }
}

/**
 * Slices of rows are missing if a thread ended while it received them. A commit without slices may arrive between the
 * slices of another.
 */
function decodeLists({ lists, slices }: CommitRequest): readonly WriteList[] {
  const received = slices === 0 ? [] : receivedSlices.splice(0);
  const decoder = new PlanDecoder(terms!.catalogue, received);
  if (received.length !== slices) throw threadEnded({ nothingChanged: true });
  return lists.map((list) => decoder.decode(list));
}

const NOTHING: WriterAnswer = { outcomes: [], stale: false };

function attempt<T>(work: () => T): T | FailedResult {
  try {
    return work();
  } catch (error) {
    connection?.settle();
    return toThreadResult(translateError(error));
  }
}

function indexLater(milliseconds: number): void {
  timer = setTimeout(indexSome, milliseconds);
}

/** Counts the visited collections, so that each has its turn while others keep changing. */
let visits = 0;

/** Maintains the log of changes, and indexes the next batch of one collection. After a failure it continues later. */
function indexSome(): void {
  const start = performance.now();
  const isQuiet = start - lastCommit > QUIET_MS;
  const isSoon = attempt(() => {
    checkFiles(terms!.files);
    const { historyDays } = terms!.bounds;
    const isMaintained = historyDays ? maintainLog(open(), historyDays) : false;
    const collections = [...terms!.catalogue.collections.values()];
    const next = () => collections[visits++ % collections.length]!;
    // A search waits for the words of all rows: many of them are indexed soon in any case.
    if (collections.some(() => indexWords(open(), next(), 0) > FEW_ROWS)) return true;
    const indexNext = (collection: Collection) =>
      compactNextWords(open(), collection) || indexPending(open(), collection);
    return (collections.some(() => indexNext(next())) || isMaintained) && isQuiet;
  });
  indexLater(isSoon === true ? (performance.now() - start) * PAUSE_FACTOR : CHECK_MS);
}

function open(): Connection {
  if (connection !== undefined) return connection;
  const { path, files } = terms!;
  const opened = new Connection(path, { prepare: () => checkFiles(files) });
  gatherStatistics(opened);
  declarationWatch = new DeclarationWatch(opened, terms!.catalogue);
  opened.waitInTurn();
  connection = opened;
  return opened;
}

/** Lists what `pragma optimize` would do: https://www.sqlite.org/pragma.html#pragma_optimize */
const LIST_OPTIMIZATIONS = 'pragma optimize = 0x10003';
const ANALYZES_COLLECTION = /^ANALYZE "main"\."(?!_.*_search[_"])/i;

/** With fewer rows, a table has no statistics: a table that grows would be scanned for each row of a join. */
const FEWEST_COUNTED = 1_000;

/**
 * Gathers statistics, which decide whether reads are cheap; samples of each index suffice. The search index's tables
 * must have none: with outdated small sizes, SQLite would scan them for every row.
 */
function gatherStatistics(connection: Connection): void {
  try {
    connection.execute(`pragma analysis_limit = ${2 * INLINE_PAGE_ROWS}`);
    const statements = connection.values(LIST_OPTIMIZATIONS).map(([sql]) => String(sql));
    for (const sql of statements.filter((each) => ANALYZES_COLLECTION.test(each))) connection.execute(sql);
    const deleted = connection.execute(
      `delete from sqlite_stat1 where tbl glob '_*_search*' or cast(stat as integer) < ${FEWEST_COUNTED}`,
    );
    // Reloads the statistics.
    if (deleted > 0) connection.execute('analyze sqlite_schema');
  } catch {
    // Another process is writing, and the existing statistics are good enough.
  }
}
