/** A read, and what its routes need. */
import type { Encoding } from '../../../encode/encoding.ts';
import type { ReadPlan } from '../../../plan/types.ts';
import type { ChangeCounter, ReadResult } from '../../engine.ts';
import { type Output, outputOfRead } from '../../sql/output.ts';
import type { SqlDialect } from '../../sql/statement.ts';
import type { Connection } from '../connection/connection.ts';
import type { Snapshot } from '../connection/snapshot.ts';
import type { TableStatistics } from '../connection/table-statistics.ts';
import { sqliteDialect } from '../dialect.ts';
import type { ReadPool } from '../read-threads/read-pool.ts';

export class Read {
  private made: Output | undefined = undefined;

  constructor(
    readonly plan: ReadPlan,
    readonly encoding: Encoding,
    /** The change count to which the snapshot was refreshed. */
    readonly changeCount: number,
    /** Set if the read defines its tables itself, so that only a scan is possible. */
    readonly dialect?: SqlDialect | undefined,
    /** Whether such a read is cheap. */
    readonly isStep = false,
  ) {}

  /** Computed on demand, since cached rows do not need it. */
  get output(): Output {
    this.made ??= outputOfRead(this.plan, this.encoding, sqliteDialect);
    return this.made;
  }
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
        /** For the bytes of files, beside costly reads. */
        readonly byteReaders: ReadPool;
      }
    | undefined;
}
