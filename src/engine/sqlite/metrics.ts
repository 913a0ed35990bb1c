/** What goes on inside the embedded engine, for the metrics. */
import { statSync } from 'node:fs';
import type { Metric } from '../engine.ts';
import type { Readers } from './readers.ts';
import type { Writer } from './writer.ts';

export function sqliteMetrics(writer: Writer, readers: Readers | undefined, path: string | undefined): Metric[] {
  const { threads, reading } = readers?.state() ?? { threads: 0, reading: 0 };
  return [
    gauge('database_up', 'Whether the database answers: 1 or 0.', 1),
    gauge('writes_waiting', 'Writes that wait for a commit.', writer.waitingCount),
    counter('commits_total', 'Commits.', writer.commits),
    counter('writes_total', 'Writes, each with its share in a commit.', writer.writes),
    gauge('reader_threads', 'Threads for costly reads.', threads),
    gauge('reads_on_threads', 'Costly reads under way.', reading),
    ...(path === undefined
      ? []
      : [
          gauge('database_bytes', 'Size of the database file.', sizeOf(path)),
          gauge('database_log_bytes', 'Size of its write-ahead log.', sizeOf(`${path}-wal`)),
        ]),
  ];
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, kind: 'gauge', help, value };
}

function counter(name: string, help: string, value: number): Metric {
  return { name, kind: 'counter', help, value };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
