/**
 * The real program for a test: a process of its own, in a folder of its own, asked over a real socket. Everything that
 * is started or created here is registered, and `cleanUp` (call it in `afterEach` or `afterAll`) ends and removes it.
 */
import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** The program as package.json starts it, with the bun that runs the tests. */
export const PROGRAM: readonly string[] = [process.execPath, '--max-http-header-size=1048576', MAIN];

/** How long to wait for something that should happen at once; long, since the machine may be busy. */
const DEADLINE_MS = 20_000;

const folders: string[] = [];
const mounts: Mounted[] = [];
const processes: Bun.Subprocess[] = [];

export async function cleanUp(): Promise<void> {
  for (const each of processes.splice(0)) {
    each.kill('SIGKILL');
    await each.exited;
  }
  for (const mounted of mounts.splice(0)) mounted.unmount();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'catalogue-test-'));
  folders.push(folder);
  return folder;
}

export interface Mounted {
  readonly folder: string;
  /** Such as `ro`, or `size=8m`. */
  readonly remount: (options: string) => void;
  readonly unmount: () => void;
}

/** A small file system of its own, which can be full or read-only even to root; undefined where one may not mount. */
export function mountTmpfs(size: string): Mounted | undefined {
  const folder = temporaryFolder();
  const mount = (options: string) => {
    const tried =
      Bun.which('mount') === null ? undefined : Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
    return tried?.success === true;
  };
  if (!mount(`size=${size}`)) return undefined;
  let isMounted = true;
  const mounted: Mounted = {
    folder,
    remount: (options) => {
      if (!mount(`remount,${options}`)) throw new Error(`cannot remount ${folder} with ${options}`);
    },
    unmount: () => {
      if (!isMounted) return;
      isMounted = false;
      Bun.spawnSync(['umount', '-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  mounts.push(mounted);
  return mounted;
}

export type Environment = Readonly<Record<string, string>>;

export interface Launch {
  readonly args?: readonly string[];
  readonly cwd: string;
  /** Nothing of the test run's own environment is handed on but PATH. */
  readonly env?: Environment;
  /** What stands before the program, such as a shell that sets a limit first. */
  readonly prefix?: readonly string[];
  /** What is piped into it. */
  readonly stdin?: string;
  /** Another program than the sources: the executable, for one. */
  readonly program?: readonly string[];
}

export interface Finished {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program to its end. */
export async function run(launch: Launch): Promise<Finished> {
  const child = spawn(launch, launch.args ?? []);
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, stdout, stderr };
}

export interface Service {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  /** What it has written so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Resolves when the process is gone and all it wrote is read. */
  readonly exited: Promise<number>;
  readonly hasExited: () => boolean;
}

/** Starts `catalogue serve` on a free port, and resolves when it has said that it listens. */
export async function startService(launch: Launch): Promise<Service> {
  const { args = [], env = {} } = launch;
  const port = args.some((arg) => arg.startsWith('--port')) || 'PORT' in env ? [] : ['--port', '0'];
  const child = spawn(launch, ['serve', ...port, ...args]);
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const exited = Promise.all([child.exited, stdout.ended, stderr.ended]).then(([code]) => code);
  await until('the greeting', () => stdout.text().includes('\nTry ') || child.exitCode !== null || child.killed);
  const url = /listens on (\S+)/.exec(stdout.text())?.[1];
  if (url === undefined) throw new Error(`the program did not start: ${stderr.text()}`);
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid,
    fetch: (path, init) => fetch(`${url}${path}`, init),
    stdout: stdout.text,
    stderr: stderr.text,
    kill: (signal) => child.kill(signal),
    exited,
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
  };
}

/** Waits for a condition, and says which one did not come true. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited ${DEADLINE_MS / 1000} s in vain for ${what}`);
    await Bun.sleep(5);
  }
}

/** What SQLite itself says of a catalogue file; `ok` where all is well. */
export function integrityOf(file: string): string {
  const db = new Database(file, { readwrite: true });
  try {
    return db
      .query<{ integrity_check: string }, []>('pragma integrity_check')
      .all()
      .map((row) => row.integrity_check)
      .join('\n');
  } finally {
    db.close();
  }
}

function spawn({ prefix = [], program = PROGRAM, cwd, env = {}, stdin }: Launch, args: readonly string[]) {
  const child = Bun.spawn([...prefix, ...program, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdin: stdin === undefined ? 'ignore' : new Blob([stdin]),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  processes.push(child);
  return child;
}

function collect(stream: ReadableStream<Uint8Array>): { text: () => string; ended: Promise<void> } {
  let text = '';
  const decoder = new TextDecoder();
  const read = async () => {
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
  };
  return { text: () => text, ended: read() };
}
