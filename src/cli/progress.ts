/** A bar that grows, on a terminal; nothing at all elsewhere. */
const WIDTH = 30;
const REDRAW_MS = 100;
const MEGABYTE = 1024 * 1024;

interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export class ProgressBar {
  private readonly started = performance.now();
  private drawn = 0;

  /** `total` may not be known: then only what is done is told. */
  constructor(
    private readonly title: string,
    private readonly total: number | undefined,
    private readonly terminal: Terminal,
    private readonly unit: 'products' | 'steps' | 'bytes' = 'products',
  ) {}

  show(done: number, total = this.total): void {
    const { terminal } = this;
    const now = performance.now();
    if (terminal.isTTY !== true || (now - this.drawn < REDRAW_MS && done !== total)) return;
    this.drawn = now;
    terminal.write(`\r${this.title} ${total === undefined ? this.amount(done) : this.bar(done, total, now)} `);
  }

  end(): void {
    if (this.terminal.isTTY === true && this.drawn > 0) this.terminal.write('\n');
  }

  private bar(done: number, total: number, now: number): string {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const bar = '█'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '░');
    const left = share > 0 ? Math.round((((now - this.started) / 1000) * (1 - share)) / share) : 0;
    return `${bar} ${Math.floor(share * 100)}% (${this.amount(done)} of ${this.amount(total)}, ${left} s left)`;
  }

  private amount(count: number): string {
    return this.unit === 'bytes' ? `${(count / MEGABYTE).toFixed(1)} MB` : String(count);
  }
}

/** Work that tells how far it is, with a bar for as long as it lasts. */
export async function withProgress<T>(
  title: string,
  unit: 'steps' | 'bytes',
  work: (progress: (done: number, total: number) => void) => Promise<T>,
): Promise<T> {
  const bar = new ProgressBar(title, undefined, process.stderr, unit);
  try {
    return await work((done, total) => bar.show(done, total));
  } finally {
    bar.end();
  }
}
