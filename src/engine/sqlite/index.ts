/**
 * The embedded engine. Reads run where the requests are, on a connection that cannot write; writes go to the one
 * writer. A catalogue in memory has but one connection, and writes where it reads.
 */
import type { Collection } from '../../collection/declaration.ts';
import type { Row } from '../../collection/value.ts';
import type { ReadPlan, WritePlan } from '../../plan/types.ts';
import { compileCount, compileRead } from '../compile/read.ts';
import type { Engine, ReadResult, WriteResult } from '../engine.ts';
import { applyJobs, withBooleans } from './apply.ts';
import { Connection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { booleanColumns, compileJob } from './jobs.ts';
import { checkOwner, prepareSchema } from './schema.ts';
import { Writer, WriterThread } from './writer.ts';

export interface SqliteOptions {
  readonly path: string;
  readonly collection: Collection;
  /** What a new catalogue begins with. */
  readonly firstRows: readonly Row[];
  readonly retryHours: number;
}

export const IN_MEMORY = ':memory:';

export function openSqlite({ path, collection, firstRows, retryHours }: SqliteOptions): Engine {
  const first = new Connection(path);
  try {
    // The journal mode is kept in the file itself, so not before it is known to be ours.
    checkOwner(first.db);
    first.db.run('pragma journal_mode = wal');
    prepareSchema(first.db, collection, firstRows);
  } catch (error) {
    first.close();
    throw error;
  }
  if (path === IN_MEMORY) {
    const writer = new Writer((jobs) => applyJobs(first, collection, jobs, retryHours));
    return new SqliteEngine('in memory', collection, first, writer, async () => {});
  }
  first.db.run('pragma query_only = 1');
  const thread = new WriterThread(path, collection, retryHours);
  return new SqliteEngine(path, collection, first, new Writer(thread.commit), () => thread.close());
}

class SqliteEngine implements Engine {
  constructor(
    readonly location: string,
    private readonly collection: Collection,
    private readonly reader: Connection,
    private readonly writer: Writer,
    private readonly closeWriter: () => Promise<void>,
  ) {}

  find(plan: ReadPlan): readonly Row[] {
    return withBooleans(this.reader.rows(compileRead(this.collection.name, plan, sqliteDialect)), booleanColumns(plan));
  }

  read(plan: ReadPlan): ReadResult {
    if (plan.count === undefined) return { kind: 'rows', rows: this.find(plan) };
    if (plan.offset === 0 && plan.limit === undefined) {
      const rows = this.find(plan);
      return { kind: 'rows', rows, total: rows.length };
    }
    // One transaction, so that the page and the count are of the same moment.
    return this.reader.db.transaction(() => ({
      kind: 'rows' as const,
      rows: this.find(plan),
      total: this.reader.number(compileCount(this.collection.name, plan, sqliteDialect)),
    }))();
  }

  write(plan: WritePlan): Promise<WriteResult> {
    return this.writer.write(compileJob(this.collection, plan));
  }

  async close(): Promise<void> {
    await this.writer.settled();
    this.reader.close();
    await this.closeWriter();
  }
}
