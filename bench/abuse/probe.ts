/**
 * A separate process that attacks cannot slow down. It reads by id 50 times a second and changes a product 10 times a
 * second, at fixed times, without waiting for earlier requests. Latency is measured from the scheduled time, so that it
 * includes queueing. When stopped, it reports the slowest requests.
 */
const READS_A_SECOND = 50;
const WRITES_A_SECOND = 10;
const GIVE_UP_MS = 60_000;

/** The results of a probe, in milliseconds. */
export interface Found {
  readonly reads: Delays;
  readonly writes: Delays;
}

export interface Delays {
  readonly worst: number;
  readonly answered: number;
  /** Requests that were rejected or got no response. */
  readonly failed: number;
}

class Probe {
  private worst = 0;
  private answered = 0;
  private failed = 0;
  private readonly underWay = new Set<Promise<void>>();
  private isOver = false;

  constructor(private readonly ask: () => Promise<Response>) {}

  async run(perSecond: number): Promise<void> {
    const started = performance.now();
    for (let count = 0; !this.isOver; count++) {
      const due = started + (count * 1000) / perSecond;
      await Bun.sleep(Math.max(0, due - performance.now()));
      const one = this.one(due).finally(() => this.underWay.delete(one));
      this.underWay.add(one);
    }
  }

  async stop(): Promise<Delays> {
    this.isOver = true;
    await Promise.all(this.underWay);
    const { worst, answered, failed } = this;
    return { worst, answered, failed };
  }

  private async one(due: number): Promise<void> {
    try {
      const response = await this.ask();
      await response.arrayBuffer();
      if (response.ok) this.answered++;
      else this.failed++;
    } catch {
      this.failed++;
    }
    this.worst = Math.max(this.worst, performance.now() - due);
  }
}

if (import.meta.main) {
  const [url, products] = process.argv.slice(2);
  const any = () => 1 + Math.floor(Math.random() * Number(products));
  const signal = () => AbortSignal.timeout(GIVE_UP_MS);
  const reads = new Probe(() => fetch(`${url}/products/${any()}`, { signal: signal() }));
  const writes = new Probe(() =>
    fetch(`${url}/products/${any()}`, {
      method: 'PATCH',
      body: JSON.stringify({ units_in_stock: any() % 1000 }),
      headers: { 'content-type': 'application/json' },
      signal: signal(),
    }),
  );
  void reads.run(READS_A_SECOND);
  void writes.run(WRITES_A_SECOND);
  process.on('message', async () => {
    const found: Found = { reads: await reads.stop(), writes: await writes.stop() };
    process.send!(found);
    process.exit(0);
  });
}
