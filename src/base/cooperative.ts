/**
 * Long work in pieces. Work is a generator that yields after each piece; in a turn of the event loop one piece is done, whoever
 * it belongs to, and requests are answered in between. Whoever came first is done first, so that no more than one such work is
 * halfway, with all that it holds.
 */
export type Task<T> = Generator<void, T>;

/** Rows per slice: a few milliseconds of work. */
export const ROWS_PER_SLICE = 500;
/** Bytes of text per slice. */
export const BYTES_PER_SLICE = 64 * 1024;

interface Waiting {
  /** Runs a slice; returns whether it was the last. */
  readonly step: () => boolean;
}

const waiting: Waiting[] = [];
let pieces = 0;

/** Runs short work to its end. */
export function runToEnd<T>(work: Task<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

export function schedule<T>(work: Task<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const step = () => {
      try {
        const { done, value } = work.next();
        if (done === true) resolve(value);
        return done === true;
      } catch (error) {
        reject(error);
        return true;
      }
    };
    waiting.push({ step });
    if (waiting.length === 1) setImmediate(turn);
  });
}

function turn(): void {
  pieces++;
  if (waiting[0]!.step()) waiting.shift();
  if (waiting.length > 0) setImmediate(turn);
}

/** The number of slices run so far. */
export function slicesRun(): number {
  return pieces;
}

export function* mapInSlices<In, Out>(items: readonly In[], make: (item: In, index: number) => Out): Task<Out[]> {
  const made: Out[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % ROWS_PER_SLICE === 0) yield;
    made.push(make(item, index));
  }
  return made;
}
