/** Puts load on a server with wrk, and measures requests per second and the CPU time of the server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuSeconds } from './readings.ts';
import type { Server } from './servers.ts';

export interface Load {
  /** Lua code that sets `request`, or the method, headers and body. `n` counts up from a random start. */
  readonly script?: string;
  readonly path?: string;
  readonly connections?: number;
}

export interface Measured {
  readonly perSecond: number;
  readonly p99: number;
  /** Microseconds of CPU time of the server per request. */
  readonly cpu: number;
}

export function needWrk(): void {
  if (Bun.which('wrk') !== null) return;
  console.error('This needs wrk: on Debian, apt-get install wrk; on macOS, brew install wrk');
  process.exit(1);
}

/** Measures a load. Throws if a request fails or gets an error, because the result would be meaningless. */
export async function measure(server: Server, load: Load, seconds: number): Promise<Measured> {
  const { script = '', path = '', connections = 32 } = load;
  const before = await cpuSeconds(server.pid);
  const output = await wrk(script, [`-c${connections}`, `-d${seconds}s`, `${server.url}${path}`]);
  const after = await cpuSeconds(server.pid);
  const trouble = /Non-2xx or 3xx responses: \d+|Socket errors: .*/.exec(output)?.[0];
  if (trouble !== undefined) throw new Error(`${server.url}${path} ${script}\n${trouble}`);
  const number = (pattern: RegExp) => Number(pattern.exec(output)?.[1] ?? Number.NaN);
  const [, p99 = 'NaN', unit = 'ms'] = /99%\s+([\d.]+)(us|ms|s)/.exec(output) ?? [];
  return {
    perSecond: number(/Requests\/sec:\s+([\d.]+)/),
    p99: Number(p99) * (unit === 's' ? 1000 : unit === 'us' ? 0.001 : 1),
    cpu: ((after - before) * 1e6) / number(/(\d+) requests in/),
  };
}

/** Runs wrk with a long timeout, so that a slow server gives a slow result, not an error. */
async function wrk(script: string, args: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'catalogue-load-'));
  try {
    const file = join(folder, 'load.lua');
    await Bun.write(file, `local n = ${Math.floor(Math.random() * 800_000_000)}\n${script}\n`);
    const command = ['wrk', '-t1', '--latency', '--timeout', '60s', '-s', file, ...args];
    return await new Response(Bun.spawn(command, { stderr: 'inherit' }).stdout).text();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns a script that sends GET requests. The path is a Lua expression of `n`. */
export function get(path: string): string {
  return `request = function() n = n + 1; return wrk.format("GET", ${path}) end`;
}

/** Returns a GET script with a different meaningless preference for each request, which bypasses the response cache. */
export function getAnew(path: string): string {
  return `request = function() n = n + 1; return wrk.format("GET", ${path}, { Prefer = "n="..n }) end`;
}

export function post(json: string): string {
  return `wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '${json}'`;
}
