/**
 * The SQLite engine. Cheap reads run on the event loop on a read-only connection, costly ones on threads, writes on the
 * writer thread. An in-memory database has a single connection.
 */
import { rmSync } from 'node:fs';
import { defined } from '../../base/defined.ts';
import {
  DEFAULT_DRY_RUN_SECONDS,
  MAX_COMMIT_SECONDS,
  MAX_QUEUE_SECONDS,
  SQLITE_BUSY_MS,
} from '../../base/limits/engine.ts';
import { declareCatalogue } from '../../collection/declaration.ts';
import type { Engine } from '../engine.ts';
import { rejectCredentials } from '../shared/maintenance.ts';
import { Connection, whileBusy } from './connection/connection.ts';
import { fileOf, IN_MEMORY, openFiles } from './connection/database-files.ts';
import { MemoryChangeCounter, Snapshot, WalChangeCounter } from './connection/snapshot.ts';
import { TableStatistics } from './connection/table-statistics.ts';
import { isDamage } from './errors.ts';
import { maintainLog } from './history/log.ts';
import { isLogOn } from './history/triggers.ts';
import { RowCache } from './read/row-cache.ts';
import { READ_POOL_LIMITS, ReadPool } from './read-threads/read-pool.ts';
import { DeclarationWatch } from './schema/declaration-watch.ts';
import { prepareSchema, type SqliteRequirement } from './schema/migrate.ts';
import { exposedCredentials, roleHolders } from './schema/own-tables.ts';
import { checkOwner } from './schema/schema.ts';
import { hasSearchIndexes } from './search/search-index.ts';
import { type Parts, SqliteEngine } from './sqlite-engine.ts';
import { applyWrites } from './write/apply-writes.ts';
import { Writer } from './write/writer.ts';
import { WriterThread } from './write/writer-link.ts';

export interface SqliteOptions extends SqliteRequirement, Pick<Parts, 'onLoad' | 'onClose'> {
  readonly path: string;
  /** The name in messages, if it is not the path. */
  readonly location?: string;
  readonly retryHours: number;
  readonly querySeconds: number;
  readonly dryRunSeconds?: number;
  /** For a service, the writer thread starts now instead of with the first write. */
  readonly serves?: boolean;
  readonly rejectsCredentials?: boolean;
  /** Whether its rows may be lost. One connection on the event loop suffices for them, and no sync of the disk. */
  readonly isTransient?: boolean;
  /** Overrides of the limits, for tests. */
  readonly readingBounds?: Partial<typeof READ_POOL_LIMITS>;
  readonly queueSeconds?: number;
  readonly smallTableRows?: number;
}

export function openSqlite(options: SqliteOptions): Engine {
  const { catalogue, retryHours, querySeconds, location = options.path } = options;
  const dryRunSeconds = Math.min(options.dryRunSeconds ?? DEFAULT_DRY_RUN_SECONDS, querySeconds);
  const { queueSeconds = MAX_QUEUE_SECONDS, historyDays } = options;
  const commitSeconds = MAX_COMMIT_SECONDS;
  const limitMs = querySeconds * 1000;
  let steps: readonly string[] = [];
  let isLogged = false;
  let isIndexed = true;
  const first = new Connection(options.path, {
    create: true,
    prepare: (db) => {
      steps = whileBusy(SQLITE_BUSY_MS, () => {
        // Checked first, since changing the journal mode writes to the file.
        const isEmpty = checkOwner(db);
        if (options.rejectsCredentials === true && !isEmpty) rejectCredentials(roleHolders(db));
        const warning = options.serves === true && !isEmpty ? exposedCredentials(db, options.path) : undefined;
        if (warning !== undefined) options.notice?.('warn', warning);
        db.run('pragma journal_mode = wal');
        const made = prepareSchema(db, options);
        isLogged = isLogOn(db, historyDays);
        isIndexed = options.isMigrated !== false || hasSearchIndexes(db, catalogue);
        return made;
      });
    },
  });
  const bounds = { retryHours, querySeconds, dryRunSeconds, queueSeconds, commitSeconds, historyDays, isLogged };
  const common = { steps, limitMs, isLogged, isIndexed, openTransient: () => openTransient(options) };
  if (options.path === IN_MEMORY || options.isTransient === true) {
    first.execute('pragma synchronous = off');
    const changes = new MemoryChangeCounter();
    const writer = new Writer((lists) => {
      changes.increment();
      const results = applyWrites(first, catalogue, lists, bounds);
      if (historyDays) maintainLog(first, historyDays);
      return results;
    }, queueSeconds);
    const statistics = new TableStatistics(first, options.smallTableRows);
    const names = { path: options.path, location: 'in memory' };
    return new SqliteEngine({ ...common, ...names, connection: first, changes, writer, statistics });
  }
  const path = fileOf(options.path);
  // Before the reader opens: the last connection to close moves the rows from the log into the file.
  first.close();
  const connection = new Connection(path, { readOnly: true, prepare: checkOwner });
  const changes = new WalChangeCounter(path);
  const files = openFiles(options.path);
  const writerThread = new WriterThread({ path, files, catalogue, bounds });
  const reading = { path, files, limitMs, catalogue: catalogue.draft };
  const readLimits = { ...READ_POOL_LIMITS, ...options.readingBounds };
  if (options.serves === true) writerThread.thread.begin();
  return new SqliteEngine({
    ...common,
    ...defined({ onLoad: options.onLoad, onClose: options.onClose }),
    path,
    location,
    connection,
    statistics: new TableStatistics(connection, options.smallTableRows),
    changes,
    writer: new Writer(writerThread.commit, queueSeconds, writerThread.dryRuns),
    file: {
      files,
      catalogue,
      writerThread,
      snapshot: new Snapshot(connection, changes),
      declarationWatch: new DeclarationWatch(connection, catalogue),
      rows: new RowCache(connection),
      readers: new ReadPool({ ...reading, bounds: readLimits }),
      byteReaders: new ReadPool({ ...reading, bounds: { ...readLimits, threads: 1 } }),
      searchers: new ReadPool({
        ...reading,
        bounds: { ...readLimits, threads: Math.max(1, readLimits.threads - 1) },
        isBackground: true,
      }),
    },
  });
}

/** Opens the engine for rows that may be lost. A damaged file is replaced by an empty one. */
function openTransient({ path, querySeconds }: SqliteOptions): Engine {
  const options = {
    path: path === IN_MEMORY ? IN_MEMORY : `${fileOf(path)}-presence`,
    catalogue: declareCatalogue({ collections: [] }),
    firstRows: () => [],
    retryHours: 1,
    querySeconds,
    historyDays: 0,
    isTransient: true,
  };
  try {
    return openSqlite(options);
  } catch (error) {
    if (!isDamage(error)) throw error;
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${options.path}${suffix}`, { force: true });
    return openSqlite(options);
  }
}
