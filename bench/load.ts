/** Load on a server: requests a second as wrk counts them, with what its script says. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Load {
  /** Lua that sets `request`, or the method, headers and body; `n` counts up from a random start. */
  readonly script?: string;
  readonly path?: string;
  readonly connections?: number;
}

export interface Measured {
  readonly perSecond: number;
  readonly p99: number;
  readonly errors: number;
}

export async function measure(
  url: string,
  { script = '', path = '', connections = 32 }: Load,
  seconds: number,
): Promise<Measured> {
  const file = join(tmpdir(), `catalogue-load-${process.pid}.lua`);
  const start = Math.floor(Math.random() * 800_000_000);
  await Bun.write(file, `local n = ${start}\n${script}\n`);
  const command = ['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-s', file, `${url}${path}`];
  const output = await new Response(Bun.spawn(command, { stderr: 'inherit' }).stdout).text();
  const number = (pattern: RegExp) => Number(pattern.exec(output)?.[1] ?? 0);
  const [, p99 = '0', unit = 'ms'] = /99%\s+([\d.]+)(us|ms|s)/.exec(output) ?? [];
  return {
    perSecond: number(/Requests\/sec:\s+([\d.]+)/),
    p99: Number(p99) * (unit === 's' ? 1000 : unit === 'us' ? 0.001 : 1),
    errors: number(/Non-2xx or 3xx responses: (\d+)/),
  };
}

export function get(path: string): string {
  return `request = function() n = n + 1; return wrk.format("GET", ${path}) end`;
}
