/** A progress bar on a terminal; prints nothing elsewhere. */
const WIDTH = 30;
const REDRAW_MS = 100;
const MEGABYTE = 1024 * 1024;
/** The maximum before the end: the last percent is for steps without a measure, such as a commit. */
const MOST = 0.99;

const terminal = process.stderr;

class ProgressBar {
  private readonly started = performance.now();
  private drawn = 0;

  /** If `total` is unknown, shows only the amount done. */
  constructor(
    private readonly title: string,
    private total: number | undefined,
    private readonly unit: 'rows' | 'steps' | 'bytes' = 'rows',
  ) {}

  show(done: number, total = this.total): void {
    this.total = total;
    const now = performance.now();
    if (terminal.isTTY !== true || (this.drawn > 0 && now - this.drawn < REDRAW_MS && done !== total)) return;
    this.drawn = now;
    const text = total === undefined ? this.amount(done) : this.bar(done, total, now);
    terminal.write(`\r${this.title} ${text} `);
  }

  /** Shows 100 % only when the work reports its end, which may take a while after the last row. */
  end(isDone: boolean): void {
    const { total } = this;
    if (terminal.isTTY !== true || this.drawn === 0) return;
    if (isDone && total !== undefined)
      terminal.write(`\r${this.title} ${this.bar(total, total, performance.now(), true)} `);
    terminal.write('\n');
  }

  private bar(done: number, total: number, now: number, isDone = false): string {
    const share = isDone ? 1 : Math.min(MOST, done / Math.max(1, total));
    const bar = '█'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '░');
    const seconds = (now - this.started) / 1000;
    const remainingSeconds = share > 0 ? Math.round((seconds * (1 - share)) / share) : 0;
    const rate = this.amount(Math.round(done / Math.max(seconds, 0.001)));
    return `${bar} ${Math.floor(share * 100)}% (${this.amount(done)} of ${this.amount(total)}, ${rate}/s, ${remainingSeconds} s left)`;
  }

  private amount(count: number): string {
    return this.unit === 'bytes' ? `${(count / MEGABYTE).toFixed(1)} MB` : String(count);
  }
}

/** Runs work that reports its progress, with a bar. */
export async function withProgress<T>(
  title: string,
  unit: 'steps' | 'bytes',
  work: (progress: (done: number, total?: number) => void) => Promise<T>,
): Promise<T> {
  const bar = new ProgressBar(title, undefined, unit);
  let isDone = false;
  try {
    const result = await work((done, total) => bar.show(done, total));
    isDone = true;
    return result;
  } finally {
    bar.end(isDone);
  }
}

/** A load has two phases with a bar each: reading and storing. */
export class LoadBars {
  private readonly first: ProgressBar;
  private readonly second: ProgressBar;
  private isStoring = false;

  constructor(title: string, size: number | undefined, unit: 'rows' | 'bytes') {
    this.first = new ProgressBar('Reading', size, unit);
    this.second = new ProgressBar(title, undefined);
  }

  reading(done: number): void {
    this.first.show(done);
  }

  readonly storing = (stored: number, total: number): void => {
    if (!this.isStoring) this.first.end(true);
    this.isStoring = true;
    this.second.show(stored, total);
  };

  end(isDone: boolean): void {
    (this.isStoring ? this.second : this.first).end(isDone);
  }
}
