/**
 * Work in steps: statements whose rows come back, and pauses. On a thread of SQLite, statements run at once. PostgreSQL
 * waits for each, and other requests are answered at the pauses.
 */
import { ROWS_PER_SLICE, type Task, Tasks } from '../../base/cooperative.ts';
import type { Statement } from '../sql/statement.ts';

export type StepRow = Readonly<Record<string, unknown>>;
/** Yields undefined at a pause. */
export type Steps<Result, Read = Statement> = Generator<Read | undefined, Result, readonly StepRow[]>;
/** Work without statements. */
export type Pauses<Result> = Generator<undefined, Result, readonly StepRow[]>;

/** The hint for a search that exceeds its time limit. */
export const RARER_WORDS = 'Search for rarer words.';

export function* takeInSlices<Item>(
  items: Iterable<Item>,
  take: (item: Item) => void,
  size = ROWS_PER_SLICE,
): Pauses<void> {
  let taken = 0;
  for (const item of items) {
    if (taken > 0 && taken % size === 0) yield;
    take(item);
    taken += 1;
  }
}

export function runSteps<Result, Read>(
  steps: Steps<Result, Read>,
  run: (read: Read) => readonly StepRow[],
  atPause = () => {},
): Result {
  let step = steps.next();
  while (step.done !== true) {
    if (step.value === undefined) atPause();
    step = steps.next(step.value === undefined ? [] : run(step.value));
  }
  return step.value;
}

/** Work by name of which one run is in progress at a time. Callers share it. */
export function sharedRuns(work: (name: string) => Promise<void>): (name: string) => Promise<void> {
  const running = new Map<string, Promise<void>>();
  return (name) => {
    const run = running.get(name) ?? work(name).finally(() => running.delete(name));
    running.set(name, run);
    return run;
  };
}

/** Indexes are written in turns, and other tasks do not wait for them. */
const tasks = new Tasks(true);

export async function awaitSteps<Result>(
  steps: Steps<Result>,
  run: (statement: Statement) => Promise<readonly StepRow[]>,
): Promise<Result> {
  let step = await tasks.schedule(untilStatement(steps, []));
  while (step.done !== true) step = await tasks.schedule(untilStatement(steps, await run(step.value!)));
  return step.value;
}

function* untilStatement<Result>(
  steps: Steps<Result>,
  rows: readonly StepRow[],
): Task<IteratorResult<Statement | undefined, Result>> {
  let step = steps.next(rows);
  while (step.done !== true && step.value === undefined) {
    yield;
    step = steps.next([]);
  }
  return step;
}
