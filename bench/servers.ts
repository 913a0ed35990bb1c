/** Servers under measurement: real processes on loopback, each with its own port, stopped at the end. */
import type { Subprocess } from 'bun';

const ROOT = new URL('../', import.meta.url).pathname;
const running: Subprocess[] = [];
let lastPort = 4100;

export interface Server {
  readonly url: string;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

async function start(command: (port: number) => string[], probe: string): Promise<Server> {
  const port = ++lastPort;
  const server = Bun.spawn([process.execPath, ...command(port)], { cwd: ROOT, stdout: 'ignore', stderr: 'inherit' });
  running.push(server);
  const url = `http://127.0.0.1:${port}`;
  for (let attempt = 0; ; attempt++) {
    try {
      const response = await fetch(`${url}${probe}`);
      await response.arrayBuffer();
      break;
    } catch (error) {
      if (attempt > 2000) throw error;
      await Bun.sleep(10);
    }
  }
  const stop = async () => {
    server.kill('SIGTERM');
    await server.exited;
  };
  return { url, pid: server.pid, stop };
}

export function startService(database: string, ...flags: string[]): Promise<Server> {
  const command = (port: number) => [
    '--max-http-header-size=1048576',
    'src/main.ts',
    'serve',
    ...['--port', String(port), '--database', database, '--log-level', 'error', ...flags],
  ];
  return start(command, '/products?limit=1');
}

export function startBareSqlite(path: string): Promise<Server> {
  return start((port) => ['bench/baselines/bare-sqlite.ts', String(port), path], '/products/1');
}

/** A server that sends what the service sent once, bytes and headers, and does nothing else. */
export function startConstant(source: string): Promise<Server> {
  return start((port) => ['bench/baselines/constant.ts', String(port), source], '/');
}

export async function stopAll(): Promise<void> {
  for (const server of running) server.kill('SIGTERM');
  await Promise.all(running.map((server) => server.exited));
}
