/**
 * Rates of files: uploads and downloads of a 200 kB picture, its cached thumbnail, and a bare Bun file server beside
 * it. The service runs on SQLite in a folder of its own.
 *
 *   bun bench/files.ts [seconds]
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SECONDS = Number(process.argv[2] ?? 5);
const CLIENTS = 8;
const folder = mkdtempSync(join(tmpdir(), 'catalogue-files-'));

/** A PNG of about 200 kB, from noise that no compression shortens. Another `seed` gives another picture. */
async function picture(seed: number): Promise<Uint8Array<ArrayBuffer>> {
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
  const pixels = crypto.getRandomValues(new Uint8Array(65_536));
  const noise = Buffer.concat([pixels, pixels.toReversed(), pixels.map((each) => each ^ (seed & 255))]);
  return new Uint8Array(await new Bun.Image(Buffer.concat([header, noise])).png().bytes());
}

async function rate(name: string, request: (turn: number) => Promise<Response>): Promise<void> {
  let turn = 0;
  let done = 0;
  const end = performance.now() + SECONDS * 1000;
  const client = async () => {
    while (performance.now() < end) {
      const response = await request(turn++);
      if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`);
      await response.arrayBuffer();
      done++;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  console.log(`${name.padEnd(40)} ${(done / SECONDS).toFixed(0).padStart(7)}/s`);
}

writeFileSync(join(folder, 'collections.yaml'), 'collections: { products: { fields: { id: int4, image: image } } }\n');
const main = new URL('../src/main.ts', import.meta.url).pathname;
const service = Bun.spawn([process.execPath, main, 'serve', '--port', '0', '--log-level', 'error'], {
  cwd: folder,
  stdout: 'pipe',
});
try {
  let greeting = '';
  for await (const part of service.stdout) {
    greeting += new TextDecoder().decode(part);
    if (greeting.includes('\nTry ')) break;
  }
  const url = /listens on (\S+)/.exec(greeting)![1]!;
  const pictures = await Promise.all(Array.from({ length: 256 }, (_, seed) => picture(seed)));
  const upload = (body: Uint8Array<ArrayBuffer>) => fetch(`${url}/files`, { method: 'POST', body });
  console.log(`a picture of ${pictures[0]!.length} bytes, ${CLIENTS} clients, ${SECONDS} s each`);
  await rate('upload', (turn) => upload(pictures[turn % pictures.length]!));
  const { id } = (await (await upload(pictures[0]!)).json()) as { id: string };
  await rate('download', () => fetch(`${url}/files/${id}/a.png`));
  await rate('download of a stored thumbnail', () => fetch(`${url}/files/${id}/a.png?width=128&format=webp`));
  writeFileSync(join(folder, 'a.png'), pictures[0]!);
  using bare = Bun.serve({ port: 0, fetch: () => new Response(Bun.file(join(folder, 'a.png'))) });
  await rate('download from a bare Bun file server', () => fetch(bare.url));
} finally {
  service.kill('SIGTERM');
  await service.exited;
  rmSync(folder, { recursive: true });
}
