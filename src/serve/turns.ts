/**
 * Lets callers take turns. Bun accepts connections until none is waiting, and handles the requests that come with them
 * at once. Clients that connect again after each costly response would keep it there for ever, and it would read from
 * no other connection. So requests that arrive late in a turn of the event loop wait for a later one, in which each
 * caller has one request answered after the other callers had theirs.
 */
const MOST_MS = 5;

export class Turns {
  private began: number | undefined;
  /** The requests that wait, by caller; the caller whose turn it is comes first. */
  private readonly waiting = new Map<string, (() => void)[]>();

  /** Answers now or in a later turn. */
  take<Answer>(callerOf: () => string, answer: () => Answer | Promise<Answer>): Answer | Promise<Answer> {
    if (this.waiting.size === 0 && this.isEarly()) return answer();
    return new Promise((resolve) => {
      const caller = callerOf();
      const begin = () => resolve(Promise.try(answer));
      const queue = this.waiting.get(caller);
      if (queue !== undefined) queue.push(begin);
      else this.waiting.set(caller, [begin]);
      if (this.waiting.size === 1 && queue === undefined) setImmediate(() => this.next());
    });
  }

  private isEarly(): boolean {
    if (this.began !== undefined) return performance.now() - this.began <= MOST_MS;
    this.began = performance.now();
    setImmediate(() => {
      this.began = undefined;
    });
    return true;
  }

  private next(): void {
    const until = performance.now() + MOST_MS;
    for (const [caller, queue] of this.waiting) {
      const begin = queue.shift()!;
      this.waiting.delete(caller);
      if (queue.length > 0) this.waiting.set(caller, queue);
      begin();
      if (performance.now() > until) break;
    }
    if (this.waiting.size > 0) setImmediate(() => this.next());
  }
}
