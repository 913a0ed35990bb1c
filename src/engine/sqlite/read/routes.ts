/**
 * The routes of a read, in order. The first route that applies and returns a result wins. A read that exceeds its
 * budget on the event loop starts again on a thread.
 */
import { INLINE_ANSWER_BYTES } from '../../../base/limits/engine.ts';
import { memoize } from '../../../base/memo.ts';
import { fieldOf, type ReadPlan } from '../../../plan/types.ts';
import type { MaybePromise, ReadResult } from '../../engine.ts';
import { cheapPageBytes, isCheapScan } from '../../shared/cost.ts';
import { readsOtherCollections } from '../../shared/plan-keys.ts';
import type { Output } from '../../sql/output.ts';
import { compileRead } from '../../sql/read.ts';
import { boundRow } from '../../sql/row-size.ts';
import type { SqlDialect, Statement } from '../../sql/statement.ts';
import { compileCached } from '../../sql/statement-cache.ts';
import { StepBudgetExceeded } from '../connection/deadline.ts';
import { guardedDialect, sqliteDialect } from '../dialect.ts';
import { logDialect } from '../history/log.ts';
import { compileReadJob } from '../read-threads/read-job.ts';
import type { ReadPool } from '../read-threads/read-pool.ts';
import type { ReadAttempt, ReadJob, SearchJob } from '../read-threads/reader.ts';
import { candidateQuery, compilePrefiltered } from '../search/index-candidates.ts';
import { PAGE_BUDGET, withinBudget } from './byte-budget.ts';
import { compileIndexRead, mayFollowIndex } from './index-reads.ts';
import { type Read, type ReadState, readCachedRows, readWhole, readWithDeadline } from './read.ts';

interface Route {
  readonly name: string;
  readonly runsOn: 'event loop' | 'thread';
  readonly applies: (read: Read, state: ReadState) => boolean;
  readonly run: (read: Read, state: ReadState) => MaybePromise<ReadResult> | undefined;
  readonly why: string;
}

const ROUTES: readonly Route[] = [
  {
    name: 'in memory',
    runsOn: 'event loop',
    applies: (_, { file }) => file === undefined,
    run: readWithDeadline,
    why: 'No thread can open the database. The time limit applies.',
  },
  {
    name: 'bytes of a file',
    runsOn: 'thread',
    applies: ({ plan }) => readsBytes(plan.columns),
    run: (read, { changes, file }) => runJob(jobOf(read), { changes, readers: file!.byteReaders }),
    why: 'Rows are long, and a download reads many of them in succession. Their thread never waits for costly reads.',
  },
  {
    name: 'row cache',
    runsOn: 'event loop',
    applies: (read, state) => state.file!.snapshot.isStable && isCheapOnSmallTable(read, state),
    run: (read, state) => withinBudgetIfRelated(read, () => readCachedRows(read, state)),
    why: 'The JSON texts of the rows are cached. SQLite only returns row numbers in order.',
  },
  {
    name: 'small table',
    runsOn: 'event loop',
    applies: isCheapOnSmallTable,
    run: (read, state) => withinBudgetIfRelated(read, () => readWhole(read, state, compileSmallTable(read))),
    why: 'Any read of a small table takes less time than a message to a thread.',
  },
  {
    name: 'key or index',
    runsOn: 'event loop',
    applies: ({ plan }) => mayFollowIndex(plan),
    run(read, state) {
      const indexRead = compileIndexRead(read.plan, read.output, state.statistics.rowsPerValue);
      return indexRead && withinBudget(indexRead.bytes, () => readWhole(read, state, indexRead.statement));
    },
    why: 'The index yields only rows of the page, so a page takes well under a millisecond.',
  },
  {
    name: 'lookup',
    runsOn: 'thread',
    applies: ({ plan }) => plan.isLookup === true,
    run: (read, { changes, file }) => runJob(jobOf(read), { changes, readers: file!.byteReaders }),
    why: 'Many requests depend on it, such as logins. It never waits for costly reads.',
  },
  {
    name: 'search index',
    runsOn: 'thread',
    applies: ({ plan }) => candidateQuery(plan.from, plan.where) !== undefined,
    run: (read, state) => readOnThread(read, state, compilePrefiltered),
    why: 'FTS5 finds the candidates of a text filter. A scan would test every row.',
  },
  {
    name: 'scan',
    runsOn: 'thread',
    applies: () => true,
    run: (read, state) => readOnThread(read, state),
    why: 'Any other read may take long. The time limit applies, and a large result is streamed.',
  },
];

const readsBytes = memoize((columns: ReadPlan['columns']) =>
  columns.some(({ expression }) => fieldOf(expression)?.type.name === 'bytes'),
);

export function readByRoute(read: Read, state: ReadState): MaybePromise<ReadResult> {
  if (read.dialect !== undefined && state.file !== undefined) {
    return (read.isStep ? readStep(read, state, read.dialect) : undefined) ?? readOnThread(read, state)!;
  }
  let isOverBudget = false;
  for (const { runsOn, applies, run } of ROUTES) {
    if (isOverBudget && runsOn === 'event loop') continue;
    try {
      const result = applies(read, state) ? run(read, state) : undefined;
      if (result !== undefined) return result;
    } catch (error) {
      if (!(error instanceof StepBudgetExceeded)) throw error;
      isOverBudget = true;
    }
  }
  throw new Error('no route for a read');
}

/** A few rows as of a recent position take well under a millisecond. Undefined if they exceed the budget. */
function readStep(read: Read, state: ReadState, dialect: SqlDialect): ReadResult | undefined {
  const statement = compileRead(read.plan, { ...read.output, ...PAGE_BUDGET }, dialect);
  try {
    return withinBudget(cheapPageBytes(read.plan), () => readWhole(read, state, statement));
  } catch (error) {
    if (error instanceof StepBudgetExceeded) return undefined;
    throw error;
  }
}

/** Approximates the statement of the chosen route, for EXPLAIN. */
export function compileForExplain(plan: ReadPlan, changeCount: number, state: ReadState): Statement {
  const output: Output = { form: 'json', stripNulls: false };
  const dialect = logDialect(plan, undefined);
  if (dialect !== undefined) return compileRead(plan, output, dialect);
  const isOnThread = state.file !== undefined && !isCheapOnSmallTable({ plan, changeCount }, state);
  return (
    (mayFollowIndex(plan) ? compileIndexRead(plan, output, state.statistics.rowsPerValue)?.statement : undefined) ??
    (isOnThread ? compilePrefiltered(plan, output)?.statement : undefined) ??
    compileRead(plan, output, sqliteDialect)
  );
}

function isCheapOnSmallTable({ plan, changeCount }: Pick<Read, 'plan' | 'changeCount'>, state: ReadState): boolean {
  return isCheapScan(plan, state.statistics.at(changeCount));
}

/** Runs `work` with a byte and step budget if the plan reads related rows, whose number is unknown. */
function withinBudgetIfRelated<T>({ plan }: Read, work: () => T): T {
  return readsOtherCollections(plan) ? withinBudget(INLINE_ANSWER_BYTES, work) : work();
}

function compileSmallTable({ plan, output }: Read): Statement {
  if (!readsOtherCollections(plan)) return compileCached(plan, output, sqliteDialect);
  return compileCached(plan, { ...output, ...PAGE_BUDGET }, guardedDialect);
}

type CompileAttempt = (plan: ReadPlan, output: Output) => ReadAttempt | undefined;

/** Runs the read on a thread. Returns undefined if `compile` cannot handle the plan. */
function readOnThread(read: Read, state: ReadState, compile?: CompileAttempt): Promise<ReadResult> | undefined {
  const job = jobOf(read, compile);
  return job && runJob(job, { changes: state.changes, readers: state.file!.readers });
}

function jobOf(read: Read): ReadJob;
function jobOf(read: Read, compile: CompileAttempt | undefined): ReadJob | undefined;
function jobOf(read: Read, compile?: CompileAttempt): ReadJob | undefined {
  const output = boundRow(read.plan, read.output);
  const attempt = compile?.(read.plan, output);
  if (compile !== undefined && attempt === undefined) return undefined;
  const { plan, encoding, dialect } = read;
  return compileReadJob({ plan, encoding, output, dialect }, attempt);
}

interface JobState extends Pick<ReadState, 'changes'> {
  readonly readers: ReadPool;
}

export async function runJob(job: ReadJob | SearchJob, { changes, readers }: JobState): Promise<ReadResult> {
  // Taken before the read: the rows may be newer than the tag, but never older.
  const changeTag = changes.tag();
  return { ...(await readers.read(job)), changeTag };
}
