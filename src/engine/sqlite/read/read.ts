/** A read, and what its routes need. */
import type { Encoding } from '../../../encode/encoding.ts';
import type { ReadPlan } from '../../../plan/types.ts';
import type { ChangeCounter, ReadResult } from '../../engine.ts';
import type { Output } from '../../sql/output.ts';
import type { SqlDialect } from '../../sql/statement.ts';
import type { Connection } from '../connection/connection.ts';
import type { Snapshot } from '../connection/snapshot.ts';
import type { TableStatistics } from '../connection/table-statistics.ts';
import type { ReadPool } from '../read-threads/read-pool.ts';

export interface Read {
  readonly plan: ReadPlan;
  readonly encoding: Encoding;
  readonly output: Output;
  /** The change count to which the snapshot was refreshed. */
  readonly changeCount: number;
  /** Set if the read defines its tables itself, so that only a scan is possible. */
  readonly dialect?: SqlDialect | undefined;
}

export interface ReadState {
  readonly connection: Connection;
  readonly changes: ChangeCounter;
  readonly statistics: TableStatistics;
  readonly limitMs: number;
  /** Absent in memory, where one connection does everything. */
  readonly file?:
    | {
        readonly snapshot: Snapshot;
        readonly rows: { list(read: Read): ReadResult | undefined };
        readonly readers: ReadPool;
      }
    | undefined;
}
