/** Runs reads on the event loop. */

import { encodeRows } from '../../../encode/encoding.ts';
import type { ReadPlan } from '../../../plan/types.ts';
import type { ReadResult } from '../../engine.ts';
import { readsOtherCollections } from '../../shared/plan-keys.ts';
import { pageEnd } from '../../sql/output.ts';
import { compileCount, compileRead } from '../../sql/read.ts';
import { boundRow } from '../../sql/row-size.ts';
import type { Statement } from '../../sql/statement.ts';
import { clearDeadline, setDeadline } from '../connection/deadline.ts';
import { guardedDialect, sqliteDialect } from '../dialect.ts';
import type { Read, ReadState } from './read.ts';

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
    return addTotal(read, state, { returned: rows.length, body, end: pageEnd(plan, output, rows.at(-1)) });
  };
  const needsCount = plan.count !== undefined && isPage(plan);
  return state.file !== undefined && needsCount ? state.file.snapshot.during(work) : work();
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
