/** Measured servers: real processes on loopback, each with its own port, stopped at the end. */
import type { Subprocess } from 'bun';
import { freePort } from '../test/support/engines/postgres-server.ts';
import { onAllCores, onServerCore } from './cores.ts';

export const ROOT = new URL('../', import.meta.url).pathname;
const running = new Set<Subprocess>();

export interface Server {
  readonly url: string;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

export interface Launch {
  readonly command: (port: number) => readonly string[] | Promise<readonly string[]>;
  /** A URL for the readiness check. Any status means that it is up, but 503, which a starting service sends. */
  readonly probe: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** False if the server may use all cores. */
  readonly pinned?: boolean;
}

export async function launch({ command, probe, cwd = ROOT, env = {}, pinned = true }: Launch): Promise<Server> {
  const port = freePort();
  const server = Bun.spawn((pinned ? onServerCore : onAllCores)(await command(port)), {
    cwd,
    env: { ...process.env, ...env },
    stdout: 'ignore',
    stderr: 'inherit',
  });
  running.add(server);
  const url = `http://127.0.0.1:${port}`;
  await untilItAnswers(`${url}${probe}`, server);
  const stop = async () => {
    running.delete(server);
    server.kill('SIGTERM');
    await server.exited;
  };
  return { url, pid: server.pid, stop };
}

async function untilItAnswers(url: string, server: Subprocess): Promise<void> {
  for (const deadline = Date.now() + 60_000; ; ) {
    try {
      const response = await fetch(url);
      await response.arrayBuffer();
      if (response.status !== 503) return;
    } catch {
      // It does not listen yet.
    }
    if (server.exitCode !== null) throw new Error(`the server for ${url} ended with ${server.exitCode}`);
    if (Date.now() > deadline) throw new Error(`the server for ${url} does not start`);
    await Bun.sleep(1);
  }
}

export interface ServiceOptions {
  readonly flags?: readonly string[];
  /** The folder of the service, for other versions of it. */
  readonly root?: string;
  readonly pinned?: boolean;
}

export function startService(
  database: string,
  { flags = [], root = ROOT, pinned = true }: ServiceOptions = {},
): Promise<Server> {
  const settings = ['--database', database, '--log-level', 'error', ...flags];
  return launch({
    command: (port) => [
      ...BUN,
      '--max-http-header-size=1048576',
      'src/main.ts',
      'serve',
      `--port=${port}`,
      ...settings,
    ],
    probe: '/products?limit=1',
    cwd: root,
    pinned,
  });
}

export function startBareSqlite(path: string): Promise<Server> {
  return startBaseline('bare-sqlite.ts', [path], '/products/1');
}

export function startBarePost(path: string): Promise<Server> {
  return startBaseline('bare-post.ts', [path], '/');
}

export function startBareShop(path: string): Promise<Server> {
  return startBaseline('bare-shop.ts', [path], '/products/1');
}

export function startBarePostgres(url: string, schema: string): Promise<Server> {
  return startBaseline('bare-postgres.ts', [url, schema], '/products/1');
}

export function startBareLoops(path: string): Promise<Server> {
  return startBaseline('bare-loops.ts', [path], '/');
}

/** Starts a server that replays one response of the service, with its bytes and headers. */
export function startConstant(source: string): Promise<Server> {
  return startBaseline('constant.ts', [source], '/');
}

const BUN = [process.execPath];

function startBaseline(file: string, args: readonly string[], probe: string): Promise<Server> {
  return launch({ command: (port) => [...BUN, `bench/baselines/${file}`, String(port), ...args], probe });
}

export async function stopAll(): Promise<void> {
  for (const server of running) server.kill('SIGTERM');
  await Promise.all([...running].map((server) => server.exited));
}
