/** Runs cheap reads on the event loop, bounded by rows and bytes. */

import { QUICK_ANSWER_BYTES, QUICK_STEPS } from '../../../base/limits/engine.ts';
import type { Collection } from '../../../collection/declaration.ts';
import { type Encoding, encodeRows } from '../../../encode/encoding.ts';
import type { ReadPlan } from '../../../plan/types.ts';
import type { ReadResult } from '../../engine.ts';
import { readsOtherCollections } from '../../shared/plan-keys.ts';
import { columnSteps, filterSteps } from '../../shared/text-cost.ts';
import { type Output, pageEnd } from '../../sql/output.ts';
import { compileCount, compileRead } from '../../sql/read.ts';
import { maxFieldRepeats } from '../../sql/row-size.ts';
import type { Statement } from '../../sql/statement.ts';
import type { Connection } from '../connection/connection.ts';
import { clearDeadline, StepBudgetExceeded, setDeadline } from '../connection/deadline.ts';
import type { Snapshot } from '../connection/snapshot.ts';
import { TableStatistics } from '../connection/table-statistics.ts';
import { guardedDialect, sqliteDialect } from '../dialect.ts';
import { allowAnyBytes, allowBytes, boundedRow, PAGE } from './byte-budget.ts';
import { compileQuickRead, type QuickRead } from './read-routes.ts';
import type { RowCache } from './row-cache.ts';

export class InlineReads {
  private readonly statistics: TableStatistics;

  /** In memory there is no snapshot and no row cache, since nothing runs between two reads. */
  constructor(
    private readonly connection: Connection,
    private readonly file: { readonly snapshot: Snapshot; readonly rows: RowCache } | undefined,
    private readonly limitMs: number,
  ) {
    this.statistics = new TableStatistics(connection);
  }

  /** Undefined if the read is not cheap, or exceeded its budget. `mark` is the change counter. */
  read(plan: ReadPlan, encoding: Encoding, output: Output, mark: number): ReadResult | undefined {
    const { file } = this;
    if (file === undefined) return this.inMemory(plan, encoding, output);
    if (!this.isQuickOnSmall(plan, mark)) {
      const quick = this.quickOnLarge(plan, output);
      return quick && ifShort(quick.bytes, () => this.whole(plan, encoding, output, quick.statement));
    }
    const kept = () => {
      const list = file.snapshot.isStill ? file.rows.list(plan, encoding, mark) : undefined;
      return list && this.counted(plan, list);
    };
    if (!readsOtherCollections(plan))
      return kept() ?? this.whole(plan, encoding, output, compileRead(plan, output, sqliteDialect));
    return ifShort(QUICK_ANSWER_BYTES, () => {
      const bounded = { ...output, ...PAGE };
      return kept() ?? this.whole(plan, encoding, output, compileRead(plan, bounded, guardedDialect));
    });
  }

  quickOnLarge(plan: ReadPlan, output: Output): QuickRead | undefined {
    return compileQuickRead(plan, output, this.statistics.rowsPerValue);
  }

  isSmall(collection: Collection, mark: number): boolean {
    this.file?.snapshot.refresh(mark);
    return this.statistics.isSmall(collection, mark);
  }

  /** On a small table every read is cheap, except scanning or repeating its texts many times. */
  isQuickOnSmall(plan: ReadPlan, mark: number): boolean {
    if (!this.statistics.isSmall(plan.from, mark)) return false;
    const steps = filterSteps(plan, QUICK_STEPS) + columnSteps(plan.columns);
    const repeats = maxFieldRepeats(plan.columns);
    if (steps === 0 && repeats === 1) return true;
    const bytes = this.statistics.bytes(mark);
    return steps * bytes <= QUICK_STEPS && repeats * bytes <= QUICK_ANSWER_BYTES;
  }

  /** There is no other thread for it, but its time is limited. */
  private inMemory(plan: ReadPlan, encoding: Encoding, output: Output): ReadResult {
    setDeadline(this.limitMs);
    try {
      return this.whole(plan, encoding, output, compileRead(plan, boundedRow(plan, output), guardedDialect));
    } finally {
      clearDeadline();
    }
  }

  private whole(plan: ReadPlan, encoding: Encoding, output: Output, statement: Statement): ReadResult {
    const read = (): ReadResult => {
      const rows = this.connection.rows(statement);
      const body = encodeRows(rows, encoding, output.form);
      return this.counted(plan, { returned: rows.length, body, end: pageEnd(plan, output, rows.at(-1)) });
    };
    const isOfTwoParts = plan.count !== undefined && isPage(plan);
    return this.file !== undefined && isOfTwoParts ? this.file.snapshot.during(read) : read();
  }

  private counted(plan: ReadPlan, result: ReadResult): ReadResult {
    if (plan.count === undefined) return result;
    if (!isPage(plan)) return { ...result, total: result.returned };
    const dialect = readsOtherCollections(plan) ? guardedDialect : sqliteDialect;
    return { ...result, total: this.connection.number(compileCount(plan, dialect)) };
  }
}

function isPage({ offset, limit }: ReadPlan): boolean {
  return offset > 0 || limit !== undefined;
}

/** Undefined if the read exceeds its budget. */
function ifShort(bytes: number, read: () => ReadResult): ReadResult | undefined {
  allowBytes(bytes, QUICK_STEPS);
  try {
    return read();
  } catch (error) {
    if (error instanceof StepBudgetExceeded) return undefined;
    throw error;
  } finally {
    allowAnyBytes();
  }
}
