/** How long from the start of the process to its first answer, on an existing catalogue: the median of ten starts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateCatalogue } from './generate.ts';

const products = Number(process.argv[2] ?? 77);
const folder = mkdtempSync(join(tmpdir(), 'catalogue-start-'));
const database = join(folder, 'catalogue.db');
const main = new URL('../src/main.ts', import.meta.url).pathname;

async function firstAnswer(port: number): Promise<{ milliseconds: number; megabytes: number }> {
  const started = performance.now();
  const command = [
    process.execPath,
    main,
    'serve',
    '--port',
    String(port),
    '--database',
    database,
    '--log-level',
    'error',
  ];
  const server = Bun.spawn(command, { stdout: 'ignore', stderr: 'inherit' });
  for (;;) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/products/1`);
      await response.text();
      break;
    } catch {
      await Bun.sleep(1);
    }
  }
  const milliseconds = performance.now() - started;
  await Bun.sleep(500);
  const status = await Bun.file(`/proc/${server.pid}/status`).text();
  const megabytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  server.kill('SIGTERM');
  await server.exited;
  return { milliseconds, megabytes };
}

const median = (numbers: number[]) => numbers.sort((one, other) => one - other)[Math.floor(numbers.length / 2)]!;

await generateCatalogue(database, products);
const starts: { milliseconds: number; megabytes: number }[] = [];
for (let round = 0; round < 10; round++) starts.push(await firstAnswer(3950 + round));
rmSync(folder, { recursive: true });
const milliseconds = median(starts.map((start) => start.milliseconds));
const megabytes = median(starts.map((start) => start.megabytes));
console.log(`${products} products: first answer after ${milliseconds.toFixed(0)} ms, ${megabytes.toFixed(0)} MB idle`);
