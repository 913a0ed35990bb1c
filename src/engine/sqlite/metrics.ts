/** Metrics of the SQLite engine. */
import { counter, gauge, type Metric } from '../../base/metric.ts';
import { sizeOf } from './connection/database-files.ts';
import type { ReadPool } from './read-threads/read-pool.ts';
import type { Writer } from './write/writer.ts';

interface MetricSources {
  readonly isUp: boolean;
  readonly writer: Writer;
  /** Absent in memory, like the files. */
  readonly readers: ReadPool | undefined;
  readonly path: string | undefined;
  /** Connections with a leaked statement. */
  readonly stale: number;
}

export function sqliteMetrics({ isUp, writer, readers, path, stale }: MetricSources): Metric[] {
  return [
    gauge('database_up', 'Whether the database answers: 1 or 0.', Number(isUp)),
    gauge('writes_waiting', 'Writes that wait for a commit.', writer.waitingCount),
    counter('commits_total', 'Commits.', writer.commits),
    counter('writes_total', 'Writes, each with its share in a commit.', writer.writes),
    counter('stale_connections_total', 'Connections repaired because a statement was left open.', stale),
    ...readerMetrics(readers?.state() ?? NONE),
    ...(path === undefined
      ? []
      : [
          gauge('database_bytes', 'Size of the database file.', sizeOf(path)),
          gauge('database_log_bytes', 'Size of its write-ahead log.', sizeOf(`${path}-wal`)),
        ]),
  ];
}

const NONE = { threads: 0, reading: 0, waiting: 0, abandoned: 0 };

function readerMetrics({ threads, reading, waiting, abandoned }: typeof NONE): Metric[] {
  return [
    gauge('reader_threads', 'Threads for costly reads.', threads),
    gauge('reads_on_threads', 'Costly reads under way.', reading),
    gauge('reads_waiting', 'Costly reads that wait for their turn.', waiting),
    counter('reads_abandoned_total', 'Long results ended before their end: not taken, or too old.', abandoned),
  ];
}
