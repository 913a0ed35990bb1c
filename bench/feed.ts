/**
 * Measures the feed: many clients follow one list while another writes. Every client must receive every change. Reports
 * the delay of the oldest change of each received chunk, the memory of the service, and the rate of GETs beside the
 * feed, compared with a service that does nothing else. Both take turns, after a warm-up.
 * Usage: bun bench/feed.ts [SUBSCRIBERS] [WRITES_PER_SECOND] [SECONDS]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FULL } from './alternate.ts';
import { generateCatalogue } from './generate.ts';
import { get, type Measured, measure, needWrk } from './load.ts';
import { machine } from './machine.ts';
import { summarise } from './outcome.ts';
import { cpuSeconds, residentMegabytes } from './readings.ts';
import { type Server, startService, stopAll } from './servers.ts';
import { line } from './table.ts';

const [subscribers = 1_000, perSecond = 500, seconds = 20] = process.argv.slice(2).map(Number);
const ROWS = 500;
const LIST = `/products?select=id,product_name&id=lte.${ROWS}`;
const EVENT = Buffer.from('event: update');
const NAME = Buffer.from('"product_name":"');
const NAME_LENGTH = 13;
const NEWLINE = 10;
const NOTHING = Buffer.alloc(0);

needWrk();
const folder = mkdtempSync(join(tmpdir(), 'catalogue-feed-'));
const service = await startOn('feed.db');
const { hostname, port } = new URL(service.url);

async function startOn(name: string): Promise<Server> {
  const file = join(folder, name);
  await generateCatalogue(file, 10_000);
  return startService(file, { pinned: false });
}

class Client {
  received = 0;
  isReady = false;
  isClosed = false;
  private rest = NOTHING;

  constructor(private readonly delays: number[]) {}

  read(data: Buffer): void {
    const text = this.rest.length === 0 ? data : Buffer.concat([this.rest, data]);
    this.rest = NOTHING;
    if (!this.isReady) {
      this.isReady = text.includes('event: ready');
      this.rest = Buffer.from(text.subarray(-EVENT.length));
      return;
    }
    const name = text.indexOf(NAME);
    if (name !== -1 && name + NAME.length + NAME_LENGTH <= text.length) {
      const sent = text.toString('latin1', name + NAME.length, name + NAME.length + NAME_LENGTH);
      this.delays.push(Date.now() - Number(sent));
    }
    let end = 0;
    for (let at = text.indexOf(EVENT); at !== -1; at = text.indexOf(EVENT, end)) {
      this.received++;
      end = at + EVENT.length;
    }
    if (text.at(-1) !== NEWLINE) this.rest = Buffer.from(text.subarray(Math.max(end, text.length - EVENT.length + 1)));
  }
}

const delays: number[] = [];
async function subscribe(): Promise<Client> {
  const client = new Client(delays);
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data: (_, data) => client.read(data),
      close: () => {
        client.isClosed = true;
      },
    },
  });
  socket.write(`GET ${LIST} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n`);
  return client;
}

/** Sends writes at a steady rate, each with its time. Returns their number. */
async function write(until: number): Promise<number> {
  const started = performance.now();
  const pending = new Set<Promise<void>>();
  let count = 0;
  const send = async (id: number) => {
    const response = await fetch(`${service.url}/products?id=eq.${id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ product_name: String(Date.now()) }),
    });
    await response.arrayBuffer();
    if (response.status !== 204) throw new Error(`answered ${response.status}`);
  };
  while (performance.now() - started < until * 1000) {
    const due = Math.floor(((performance.now() - started) / 1000) * perSecond);
    for (; count < due; count++) {
      const sent: Promise<void> = send((count % ROWS) + 1).finally(() => pending.delete(sent));
      pending.add(sent);
    }
    await Bun.sleep(2);
  }
  await Promise.all(pending);
  return count;
}

const gets = { script: get(`"/products/" .. (n % 10000 + 1)`), connections: 8 };
const percentile = (share: number) =>
  [...delays].sort((a, b) => a - b)[Math.floor(delays.length * share)] ?? Number.NaN;
const megabytes = async () => Math.round(await residentMegabytes(service.pid));

console.log(await machine(false));
const before = await megabytes();
const clients: Client[] = [];
for (let opened = 0; opened < subscribers; opened += 50) {
  clients.push(...(await Promise.all(Array.from({ length: Math.min(50, subscribers - opened) }, subscribe))));
}
while (clients.some(({ isReady }) => !isReady)) await Bun.sleep(50);
const connected = await megabytes();
const cpuBefore = await cpuSeconds(service.pid);
const written = await write(seconds);
const steps = delays.length / subscribers / seconds;
const cores = ((await cpuSeconds(service.pid)) - cpuBefore) / seconds;
for (let waited = 0; waited < 10_000 && clients.some(({ received }) => received < written); waited += 50)
  await Bun.sleep(50);
const complete = clients.filter(({ received }) => received === written).length;
console.log(`${subscribers} subscribers, ${written} writes in ${seconds} s: ${complete} received all`);
console.log(`delay: median ${percentile(0.5)} ms, p99 ${percentile(0.99)} ms, maximum ${percentile(0.999999)} ms`);
console.log(`CPU time of the service: ${cores.toFixed(2)} cores, ${steps.toFixed(1)} steps a second`);
console.log(`memory: ${before} MB before, ${connected} MB connected, ${await megabytes()} MB after`);

const alone = await startOn('alone.db');
const beside = async (time: number) => (await Promise.all([measure(service, gets, time), write(time)]))[0];
await measure(alone, gets, FULL.warmUp);
await beside(FULL.warmUp);
const rounds: { alone: Measured; beside: Measured }[] = [];
for (let round = 0; round < FULL.rounds; round++) {
  rounds.push({ alone: await measure(alone, gets, FULL.seconds), beside: await beside(FULL.seconds) });
}
const outcome = summarise({
  name: 'GET by id beside the feed, and alone',
  unit: 'requests/s',
  goal: { kind: 'share', atLeast: 0.5 },
  baseline: rounds.map((each) => each.alone.perSecond),
  service: rounds.map((each) => each.beside.perSecond),
});
console.log(line(outcome));
await stopAll();
rmSync(folder, { recursive: true });
process.exit(complete === subscribers ? 0 : 1);
