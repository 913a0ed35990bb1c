/** The clients of a drill: writers retry each write with its key until it is confirmed; readers record responses. */
import type { SQL } from 'bun';
import type { Service } from '../support/processes/process.ts';

const WRITERS = 8;
const READERS = 4;
const PAUSE_MS = 25;

export interface Outcome {
  readonly acknowledged: number;
  readonly lost: number;
  readonly doubled: number;
  /** The count of each status other than success. */
  readonly refused: Readonly<Record<string, number>>;
  readonly longestWithoutWriteMs: number;
  readonly longestWithoutReadMs: number;
}

export class Drill {
  private readonly acknowledged = new Map<string, number>();
  private readonly reads: number[] = [];
  private readonly refused = new Map<string, number>();
  private readonly started = performance.now();
  private going = true;
  private readonly clients: Promise<void>[];

  /** If one of the `services` does not answer, a client asks the next. */
  constructor(
    private readonly services: readonly Service[],
    private readonly table: string,
  ) {
    this.clients = [
      ...Array.from({ length: WRITERS }, (_, name) => this.write(name)),
      ...Array.from({ length: READERS }, (_, name) => this.read(name)),
    ];
  }

  /** Whether several writes and several reads have succeeded since that moment. */
  goesOnSince(moment: number): boolean {
    const writes = [...this.acknowledged.values()].filter((at) => at > moment).length;
    return writes > 100 && this.reads.filter((at) => at > moment).length > 100;
  }

  /** Returns the milliseconds from a moment to the first write and the first read after it. */
  firstAfter(moment: number): { readonly write: number; readonly read: number } {
    const first = (times: Iterable<number>) => Math.min(...[...times].filter((at) => at > moment)) - moment;
    return { write: Math.round(first(this.acknowledged.values())), read: Math.round(first(this.reads)) };
  }

  async end(database: SQL): Promise<Outcome> {
    this.going = false;
    const ended = performance.now();
    await Promise.all(this.clients);
    const rows: { product_name: string; copies: number }[] = await database.unsafe(
      `select product_name, count(*)::int4 as copies from ${this.table} group by 1`,
    );
    const copies = new Map(rows.map((row) => [row.product_name, row.copies]));
    const names = [...this.acknowledged.keys()];
    return {
      acknowledged: names.length,
      lost: names.filter((name) => !copies.has(name)).length,
      doubled: names.filter((name) => (copies.get(name) ?? 0) > 1).length,
      refused: Object.fromEntries(this.refused),
      longestWithoutWriteMs: this.longestGap([...this.acknowledged.values()], ended),
      longestWithoutReadMs: this.longestGap(this.reads, ended),
    };
  }

  /** Returns the longest gap while all clients were active. At the end each client only finishes its last request. */
  private longestGap(moments: readonly number[], ended: number): number {
    const met = moments.filter((at) => at < ended).sort((one, other) => one - other);
    const times = [this.started, ...met, ended];
    return Math.round(Math.max(...times.slice(1).map((at, index) => at - times[index]!)));
  }

  private async write(name: number): Promise<void> {
    for (let turn = 0; this.going; turn++) {
      const product_name = `writer ${name} turn ${turn}`;
      const headers = { 'content-type': 'application/json', 'idempotency-key': product_name };
      const body = JSON.stringify({ product_name });
      // The client repeats the same request with the same key until it is confirmed. A write that was half done would
      // be lost or doubled.
      await this.until(name, (service) => service.fetch('/products', { method: 'POST', headers, body }), 201);
      this.acknowledged.set(product_name, performance.now());
    }
  }

  private async read(name: number): Promise<void> {
    while (this.going) {
      await this.until(name, (service) => service.fetch('/products?limit=5'), 200);
      this.reads.push(performance.now());
      await Bun.sleep(2);
    }
  }

  private async until(name: number, ask: (service: Service) => Promise<Response>, status: number): Promise<void> {
    for (let attempt = name; ; attempt++) {
      const service = this.services[attempt % this.services.length]!;
      const answered = await ask(service).then(
        async (response) => {
          await response.text();
          return response.status;
        },
        () => 'no answer',
      );
      if (answered === status) return;
      this.refused.set(String(answered), (this.refused.get(String(answered)) ?? 0) + 1);
      await Bun.sleep(PAUSE_MS);
    }
  }
}
