/**
 * Lets callers take turns. Bun accepts connections until none is waiting, and handles the requests that come with them
 * at once. Clients that connect again after each costly response would keep it there for ever, and it would read from
 * no other connection. So requests that arrive late in a turn of the event loop wait for a later one, in which each
 * caller has one request answered after the other callers had theirs.
 *
 * Writes always wait for the end of the turn, so that they are planned one right after the other. With system calls in
 * between, the processor loads the code of every step again for each of them: a POST of 32 clients takes 14 % more CPU
 * time of the event loop, and twice as much without the database. So do reads on PostgreSQL. Those on SQLite do not:
 * Bun closes a connection on which another request arrives before the answer, so that clients could not send several
 * reads at once.
 */
const MOST_MS = 5;
/** The requests of a turn: planning them takes some milliseconds. */
const MOST_REQUESTS = 100;

interface Arrived {
  readonly callerOf: () => string;
  readonly begin: () => void;
}

export class Turns {
  private began: number | undefined;
  /** The requests of this turn that are not answered at once. */
  private arrived: Arrived[] = [];
  /** The requests that wait for later turns, by caller; the caller whose turn it is comes first. */
  private readonly waiting = new Map<string, (() => void)[]>();

  /** Answers a request now or in a later turn, or if it waits, after this turn or in a later one. */
  take<Answer>(
    waits: boolean,
    callerOf: () => string,
    answer: () => Answer | Promise<Answer>,
  ): Answer | Promise<Answer> {
    if (this.isEarly() && !waits && this.waiting.size === 0) return answer();
    return new Promise((resolve) => {
      this.arrived.push({ callerOf, begin: () => resolve(Promise.try(answer)) });
    });
  }

  private isEarly(): boolean {
    const now = performance.now();
    if (this.began === undefined) {
      this.began = now;
      setImmediate(this.next);
    }
    return now - this.began <= MOST_MS;
  }

  private readonly next = (): void => {
    const { arrived } = this;
    const until = performance.now() + MOST_MS;
    this.began = undefined;
    this.arrived = [];
    let answered = 0;
    const most = this.waiting.size === 0 ? Math.min(arrived.length, MOST_REQUESTS) : 0;
    while (answered < most && performance.now() <= until) arrived[answered++]!.begin();
    for (const { callerOf, begin } of arrived.slice(answered)) {
      const caller = callerOf();
      const queue = this.waiting.get(caller);
      if (queue !== undefined) queue.push(begin);
      else this.waiting.set(caller, [begin]);
    }
    for (const [caller, queue] of this.waiting) {
      if (performance.now() > until) break;
      queue.shift()!();
      this.waiting.delete(caller);
      if (queue.length > 0) this.waiting.set(caller, queue);
    }
    if (this.waiting.size > 0) this.isEarly();
  };
}
