/**
 * The real program for a test: a separate process in its own folder, accessed over a real socket. `cleanUp` ends and
 * removes everything that was started or created here; call it in `afterEach` or `afterAll`.
 */
import { Database } from 'bun:sqlite';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { newFolder } from '../folders.ts';
import { endCommands, runCommand } from './command-runner.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

/** The command line of the sources as in package.json, with the bun that runs the tests. */
export const SOURCES: readonly string[] = [process.execPath, '--max-http-header-size=1048576', MAIN];

/** The executable that `npm test` builds, or the sources for a single test file. */
export const PROGRAM = process.env.TEST_PROGRAM === undefined ? SOURCES : [process.env.TEST_PROGRAM];

/** How long to wait for an event: longer than a busy machine takes, and shorter than the time limit of a test. */
const DEADLINE_MS = 150_000;

const folders: string[] = [];
const mounts: Mounted[] = [];
const processes: Bun.Subprocess[] = [];

export async function cleanUp(): Promise<void> {
  endCommands();
  for (const each of processes.splice(0)) {
    each.kill('SIGKILL');
    await each.exited;
  }
  for (const mounted of mounts.splice(0)) mounted.unmount();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export function temporaryFolder(): string {
  const folder = newFolder('catalogue-test-');
  folders.push(folder);
  return folder;
}

export interface Mounted {
  readonly folder: string;
  /** Remounts the file system with options such as `ro` or `size=8m`. */
  readonly remount: (options: string) => void;
  readonly unmount: () => void;
}

/**
 * Mounts a small file system, which can be full or read-only even for root; returns undefined without permission to
 * mount.
 */
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
  /** The environment of the process. It inherits only PATH and the options of the compiler from the test run. */
  readonly env?: Environment;
  /** A command that runs the program, such as a shell that first sets a limit. */
  readonly prefix?: readonly string[];
  /** The standard input of the process. */
  readonly stdin?: string;
  /** Called with the process id of a service before it has started. */
  readonly onSpawn?: (pid: number) => void;
  /** Another program, such as a copy of the sources. */
  readonly program?: readonly string[];
}

export interface Finished {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How the run compiles scripts. The processes of a test do as its workers do. */
const OF_COMPILER = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('BUN_JSC_')));

/** Bun reads these variables only when a process starts. */
const OF_BUN = /^(AWS|S3)_|^TZ$/;

/** Runs a command, in a process of its own only if the launch options need one. */
export async function run(launch: Launch): Promise<Finished> {
  const { args = [], cwd, env = {}, prefix, program, stdin = '' } = launch;
  const needsProcess = (prefix ?? program) !== undefined || Object.keys(env).some((name) => OF_BUN.test(name));
  if (needsProcess || args[0] === 'serve') return runProcess(launch);
  return runCommand({ args, cwd, env: environmentOf(env), stdin, umask: process.umask() });
}

/** Runs the program until it exits. */
export async function runProcess(launch: Launch): Promise<Finished> {
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
  /** Returns the output so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Resolves when the process has exited and all its output is read. */
  readonly exited: Promise<number>;
  readonly hasExited: () => boolean;
}

/** Starts `catalogue serve` on a free port, and resolves when it has printed its address. */
export async function startService(launch: Launch): Promise<Service> {
  const { args = [], env = {} } = launch;
  const port = args.some((arg) => arg.startsWith('--port')) || 'PORT' in env ? [] : ['--port', '0'];
  const child = spawn({ ...launch, env: { CATALOGUE_POOL_SIZE: '4', ...env } }, ['serve', ...port, ...args]);
  launch.onSpawn?.(child.pid);
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

/** The processes that a process has started. */
export function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

/** Waits for a condition, and names the condition in the error if the deadline passes. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  // The pauses grow, because a condition may cost a request or a look at a page.
  for (let pauseMs = 2; !(await condition()); pauseMs = Math.min(pauseMs * 1.5, 25)) {
    if (Date.now() > deadline) throw new Error(`waited ${DEADLINE_MS / 1000} s in vain for ${what}`);
    await Bun.sleep(pauseMs);
  }
}

/** Returns the result of SQLite's integrity check of a file; `ok` for an intact file. */
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

function environmentOf(env: Environment): Environment {
  return { PATH: process.env.PATH ?? '', ...(OF_COMPILER as Environment), ...env };
}

/** Starts a process that `cleanUp` ends. */
export function spawn({ prefix = [], program = PROGRAM, cwd, env = {}, stdin }: Launch, args: readonly string[]) {
  const child = Bun.spawn([...prefix, ...program, ...args], {
    cwd,
    env: environmentOf(env),
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
