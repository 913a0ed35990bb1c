/**
 * Complete exports over HTTP: their speed compared with a bare loop that produces the same bytes, and their memory use.
 */
import type { Case } from '../case.ts';
import { type Outcome, summarise } from '../outcome.ts';
import { cpuSeconds, forgetPeak, peakMegabytes, residentMegabytes } from '../readings.ts';
import { type Server, startService } from '../servers.ts';

const TYPES = { json: 'application/json', csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;
type Format = keyof typeof TYPES;

interface Export {
  readonly megabytesPerSecond: number;
  readonly cpu: number;
}

export const exportCases: readonly Case[] = (Object.keys(TYPES) as Format[]).map((format) => ({
  name: `a million: export as ${format.toUpperCase()}`,
  async run(fixtures, { rounds }) {
    const loops = await fixtures.loopsOnMillion();
    // Uses a separate service, because memory left over from an earlier export would hide the memory of this one.
    const service = await startService(await fixtures.million());
    await Bun.sleep(1000);
    await forgetPeak(service.pid);
    const before = await residentMegabytes(service.pid);
    await expectSameBytes(loops, service, format);
    const base: Export[] = [];
    const ours: Export[] = [];
    for (let round = 0; round < rounds; round++) {
      base.push(await looped(loops, format));
      ours.push(await downloaded(service, format));
    }
    const grown = (await peakMegabytes(service.pid)) - before;
    await service.stop();
    return [
      summarise({
        name: `${this.name}, beside a bare loop`,
        unit: 'MB/s',
        goal: { kind: 'share', atLeast: 0.5 },
        baseline: base.map((each) => each.megabytesPerSecond),
        service: ours.map((each) => each.megabytesPerSecond),
        cpu: { baseline: base.map((each) => each.cpu), service: ours.map((each) => each.cpu) },
      }),
      memory(`${this.name}: memory grows by`, grown),
    ];
  },
}));

function memory(name: string, megabytes: number): Outcome {
  return summarise({ name, unit: 'MB', goal: { kind: 'bound', under: 64 }, service: [megabytes] });
}

async function looped(loops: Server, format: Format): Promise<Export> {
  const before = await cpuSeconds(loops.pid);
  const answer = (await (await fetch(`${loops.url}/export/${format}`)).json()) as {
    bytes: number;
    milliseconds: number;
  };
  return rate(answer.bytes, answer.milliseconds, (await cpuSeconds(loops.pid)) - before);
}

async function downloaded(service: Server, format: Format): Promise<Export> {
  const before = await cpuSeconds(service.pid);
  const started = performance.now();
  let bytes = 0;
  for await (const part of await download(service, format)) bytes += part.length;
  return rate(bytes, performance.now() - started, (await cpuSeconds(service.pid)) - before);
}

async function download(service: Server, format: Format): Promise<AsyncIterable<Uint8Array>> {
  const response = await fetch(`${service.url}/products`, { headers: { accept: TYPES[format] } });
  return response.body as unknown as AsyncIterable<Uint8Array>;
}

function rate(bytes: number, milliseconds: number, cpu: number): Export {
  return { megabytesPerSecond: bytes / 1000 / milliseconds, cpu };
}

/** Expects equal bytes, which also warms up both servers. */
async function expectSameBytes(loops: Server, service: Server, format: Format): Promise<void> {
  const { hash } = (await (await fetch(`${loops.url}/export/${format}?hash`)).json()) as { hash: string };
  const hasher = new Bun.CryptoHasher('sha256');
  for await (const part of await download(service, format)) hasher.update(part);
  if (hasher.digest('hex') !== hash) throw new Error(`the bare loop makes other ${format} than the service`);
}
