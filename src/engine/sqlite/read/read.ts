/** A read, and what its routes need. */
import { type Encoding, encodeRows } from '../../../encode/encoding.ts';
import type { ReadPlan } from '../../../plan/types.ts';
import type { ChangeCounter, ReadResult } from '../../engine.ts';
import { readsOtherCollections } from '../../shared/plan-keys.ts';
import { compileSummary } from '../../sql/facets.ts';
import { type Output, outputOfRead, pageEnd } from '../../sql/output.ts';
import { compileCount, compileRead } from '../../sql/read.ts';
import { boundRow } from '../../sql/row-size.ts';
import type { SqlDialect, Statement } from '../../sql/statement.ts';
import type { Connection } from '../connection/connection.ts';
import { clearDeadline, setDeadline } from '../connection/deadline.ts';
import type { Snapshot } from '../connection/snapshot.ts';
import type { TableStatistics } from '../connection/table-statistics.ts';
import { guardedDialect, sqliteDialect } from '../dialect.ts';
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

export function readWithDeadline(read: Read, state: ReadState): ReadResult {
  setDeadline(state.limitMs);
  try {
    return readWhole(
      read,
      state,
      compileRead(read.plan, boundRow(read.plan, read.output), read.dialect ?? guardedDialect),
    );
  } finally {
    clearDeadline();
  }
}

export function readCachedRows(read: Read, state: ReadState): ReadResult | undefined {
  const list = state.file!.rows.list(read);
  return list && addTotal(read, state, list);
}

/** Rows and total come from one snapshot. */
export function readWhole(read: Read, state: ReadState, statement: Statement): ReadResult {
  const { plan, output, encoding } = read;
  const work = (): ReadResult => {
    const rows = state.connection.rows(statement);
    const body = encodeRows(rows, encoding, output.form);
    const summary = summaryOf(state.connection, compileSummary(plan, read.dialect ?? guardedDialect));
    return addTotal(read, state, { returned: rows.length, body, end: pageEnd(plan, output, rows.at(-1)), ...summary });
  };
  const needsCount = plan.count !== undefined && isPage(plan);
  return state.file !== undefined && needsCount ? state.file.snapshot.during(work) : work();
}

export function summaryOf(connection: Connection, statement: Statement | undefined): Pick<ReadResult, 'summary'> {
  return statement === undefined ? {} : { summary: String(connection.values(statement)[0]![0]) };
}

function addTotal({ plan, dialect: own }: Read, { connection }: ReadState, result: ReadResult): ReadResult {
  if (plan.count === undefined) return result;
  if (!isPage(plan)) return { ...result, total: result.returned };
  const dialect = own ?? (readsOtherCollections(plan) ? guardedDialect : sqliteDialect);
  return { ...result, total: connection.number(compileCount(plan, dialect)) };
}

function isPage({ offset, limit }: ReadPlan): boolean {
  return offset > 0 || limit !== undefined;
}
