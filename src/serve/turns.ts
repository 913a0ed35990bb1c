/**
 * Lets all connections take turns. Bun accepts connections until none is waiting, and handles the requests that come
 * with them at once. Clients that connect again after each costly response would keep it there for ever, and it would
 * read from no other connection. So a request that arrives late in a turn of the event loop waits for the next turn.
 */
const MOST_MS = 5;

export class Turns {
  private began: number | undefined;
  private next: Promise<void> | undefined;

  /** The next turn, if this one has lasted long enough. */
  wait(): Promise<void> | undefined {
    if (this.began === undefined) {
      this.began = performance.now();
      setImmediate(() => {
        this.began = undefined;
        this.next = undefined;
      });
      return undefined;
    }
    if (performance.now() - this.began <= MOST_MS) return undefined;
    this.next ??= new Promise((resolve) => setImmediate(resolve));
    return this.next;
  }
}
