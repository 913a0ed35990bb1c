/**
 * Measures files: uploads and downloads of a 200 kB picture and of its stored thumbnail, and a bare Bun file server for
 * the same bytes beside each download. The service runs on SQLite. Usage: bun bench/files.ts [SECONDS]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepToLoadCore } from './cores.ts';
import { type Load, type Measured, measure, needWrk } from './load.ts';
import { machine } from './machine.ts';
import { launch, type Server, startService, stopAll } from './servers.ts';

const SECONDS = Number(process.argv[2] ?? 5);
const CLIENTS = 8;
const ROUNDS = 3;
const THUMBNAIL = '?width=128&format=webp';

/** A PNG file of 200 kB, from noise that no compression shortens. */
async function picture(): Promise<Uint8Array<ArrayBuffer>> {
  const [width, height] = [256, 256];
  const header = Buffer.alloc(54);
  header.write('BM');
  header.writeUInt32LE(54 + width * height * 3, 2);
  header.writeUInt32LE(54, 10);
  header.writeUInt32LE(40, 14);
  header.writeInt32LE(width, 18);
  header.writeInt32LE(height, 22);
  header.writeUInt16LE(1, 26);
  header.writeUInt16LE(24, 28);
  const noise = Buffer.concat(Array.from({ length: 3 }, () => crypto.getRandomValues(new Uint8Array(65_536))));
  return new Uint8Array(await new Bun.Image(Buffer.concat([header, noise])).png().bytes());
}

/** A script that uploads other bytes each time: a number follows the end of the picture. */
const uploadScript = (file: string) => `
local picture = io.open("${file}", "rb"):read("*a")
request = function() n = n + 1; return wrk.format("POST", "/files", {}, picture .. n) end`;

function print(name: string, { perSecond, cpu, p99 }: Measured, share = ''): void {
  const figures = [`${perSecond.toFixed(0).padStart(6)}/s`, `${cpu.toFixed(0).padStart(6)} µs of CPU time`];
  console.log(`${name.padEnd(22)} ${figures.join('  ')}  p99 ${p99.toFixed(1)} ms  ${share}`);
}

/** Alternates the two servers, so that other load on the machine affects both. */
async function compare(name: string, service: Server, bare: Server, path: string): Promise<void> {
  const load: Load = { connections: CLIENTS, path };
  await measure(service, load, 1);
  for (let round = 0; round < ROUNDS; round++) {
    const own = await measure(service, load, SECONDS);
    const base = await measure(bare, { connections: CLIENTS }, SECONDS);
    const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(0)} %`;
    const share = `${percent(own.perSecond, base.perSecond)}, by CPU time ${percent(base.cpu, own.cpu)}`;
    print(name, own, share);
    print('  bare file server', base);
  }
}

needWrk();
keepToLoadCore();
const folder = mkdtempSync(join(tmpdir(), 'catalogue-files-'));
try {
  console.log(`${await machine()}; load ${loadavg()[0]!.toFixed(1)}; ${CLIENTS} connections, ${SECONDS} s each`);
  const declaration = join(folder, 'collections.yaml');
  await Bun.write(declaration, 'collections: { products: { fields: { id: int4, image: image } } }\n');
  const bytes = await picture();
  const original = join(folder, 'picture.png');
  await Bun.write(original, bytes);
  const service = await startService(join(folder, 'catalogue.db'), { flags: ['--collections', declaration] });
  const { id } = (await (await fetch(`${service.url}/files`, { method: 'POST', body: bytes })).json()) as {
    id: string;
  };
  const path = `/files/${id}/picture.png`;
  const serveFile = (file: string) =>
    launch({ command: (port) => [process.execPath, 'bench/baselines/bare-files.ts', `${port}`, file], probe: '/' });
  const thumbnail = join(folder, 'thumbnail.webp');
  await Bun.write(thumbnail, await fetch(`${service.url}${path}${THUMBNAIL}`));
  console.log(`picture: ${bytes.length} bytes, thumbnail: ${Bun.file(thumbnail).size} bytes`);
  await compare('download', service, await serveFile(original), path);
  await compare('thumbnail', service, await serveFile(thumbnail), `${path}${THUMBNAIL}`);
  for (let round = 0; round < ROUNDS; round++) {
    print('upload', await measure(service, { connections: CLIENTS, script: uploadScript(original) }, SECONDS));
  }
} finally {
  await stopAll();
  rmSync(folder, { recursive: true });
}
