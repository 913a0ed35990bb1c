/** Measures the event loop's delay by the lateness of a timer. */
const EVERY_MS = 500;

export class EventLoopLag {
  private last = 0;
  private worst = 0;
  private due = performance.now() + EVERY_MS;
  private readonly timer = setInterval(() => this.look(), EVERY_MS);

  constructor() {
    this.timer.unref();
  }

  /** In seconds: the current delay, and the worst since the last call. */
  read(): { last: number; worst: number } {
    const { last, worst } = this;
    this.worst = 0;
    return { last: last / 1000, worst: worst / 1000 };
  }

  private look(): void {
    const now = performance.now();
    this.last = Math.max(0, now - this.due);
    this.worst = Math.max(this.worst, this.last);
    this.due = now + EVERY_MS;
  }
}
