/**
 * Cooperative scheduling of long work. A task is a generator that yields after each slice. The event loop runs one
 * slice per turn and answers requests in between. Most tasks run in order of arrival, so at most one holds a
 * half-finished result.
 */
export type Task<T> = Generator<void, T>;

/** Rows per slice: a few milliseconds of work. */
export const ROWS_PER_SLICE = 500;
export const BYTES_PER_SLICE = 64 * 1024;

let slices = 0;

/** Runs short work to its end. */
export function runToEnd<T>(work: Task<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

export class Tasks {
  /** Each runs a slice and returns whether it was the last. */
  private readonly queue: (() => boolean)[] = [];

  /** In turns, a short task does not wait for the end of a long one, and several have half-finished results. */
  constructor(private readonly areInTurns = false) {}

  schedule<T>(work: Task<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.queue.push(() => {
        try {
          const { done, value } = work.next();
          if (done === true) resolve(value);
          return done === true;
        } catch (error) {
          reject(error);
          return true;
        }
      });
      if (this.queue.length === 1) setImmediate(this.runSlice);
    });
  }

  private readonly runSlice = (): void => {
    const { queue } = this;
    slices++;
    const isDone = queue[0]!();
    if (isDone || this.areInTurns) {
      const task = queue.shift()!;
      if (!isDone) queue.push(task);
    }
    if (queue.length > 0) setImmediate(this.runSlice);
  };
}

const tasks = new Tasks();

export function schedule<T>(work: Task<T>): Promise<T> {
  return tasks.schedule(work);
}

/** The number of slices run so far. */
export function slicesRun(): number {
  return slices;
}

export function* mapInSlices<In, Out>(items: readonly In[], make: (item: In, index: number) => Out): Task<Out[]> {
  const results: Out[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % ROWS_PER_SLICE === 0) yield;
    results.push(make(item, index));
  }
  return results;
}
