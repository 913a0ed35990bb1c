/**
 * The bystander: a separate process that attacks cannot slow down. It sends requests at fixed times, and does not wait
 * for earlier ones. Latency is measured from the scheduled time, so that it includes queueing. Time that the host of a
 * virtual machine withheld does not count. When stopped, it reports the slowest requests.
 * Usage: bun bench/abuse/probe.ts URL PRODUCTS [AUTHORIZATION], with the last one for the shop.
 */
import { stolenMs } from '../readings.ts';
import { followEvents, uploadPictures } from './shop-probe.ts';

/** Requests of each kind per second. */
const RATES = { read: 50, write: 10, thumbnail: 4, event: 4 } as const;
const GIVE_UP_MS = 60_000;

export type Kind = keyof typeof RATES;

/** The results of a probe. */
export type Found = Readonly<Partial<Record<Kind, Delays>>>;

/** In milliseconds. */
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

  /** `ask` resolves to whether the request succeeded. */
  constructor(private readonly ask: () => Promise<boolean>) {}

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
    const earlier = stolenMs();
    if (await this.ask().catch(() => false)) this.answered++;
    else this.failed++;
    const stolen = Math.max(0, ...stolenMs().map((ms, core) => ms - earlier[core]!));
    this.worst = Math.max(this.worst, performance.now() - due - stolen);
  }
}

if (import.meta.main) {
  const [url, products, authorization] = process.argv.slice(2);
  const any = () => 1 + Math.floor(Math.random() * Number(products));
  const send = async (path: string, init: RequestInit = {}) => {
    const headers = { ...init.headers, ...(authorization === undefined ? {} : { authorization }) };
    return fetch(`${url}${path}`, { ...init, headers, signal: init.signal ?? AbortSignal.timeout(GIVE_UP_MS) });
  };
  const succeeds = async (path: string, init?: RequestInit) => {
    const response = await send(path, init);
    await response.arrayBuffer();
    return response.ok;
  };
  const patch = (path: string, body: object) =>
    succeeds(path, { method: 'PATCH', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  const probes = new Map<Kind, Probe>([
    ['read', new Probe(() => succeeds(`/products/${any()}`))],
    ['write', new Probe(() => patch(`/products/${any()}`, { units_in_stock: any() % 1000 }))],
  ]);
  if (authorization !== undefined) {
    const sizes = await uploadPictures(send);
    probes.set('thumbnail', new Probe(() => succeeds(sizes.next().value)));
    const events = await followEvents(send, '/products/5', GIVE_UP_MS);
    probes.set('event', new Probe(async () => events((body) => patch('/products/5', body))));
  }
  for (const [kind, probe] of probes) void probe.run(RATES[kind]);
  process.on('message', async () => {
    const found = await Promise.all([...probes].map(async ([kind, probe]) => [kind, await probe.stop()] as const));
    process.send!(Object.fromEntries(found) satisfies Found);
    process.exit(0);
  });
  process.send!('ready');
}
