/**
 * Runs commands without a new process for each, which saves most of their CPU time. A process of the sources runs one
 * command at a time; a command that starts meanwhile gets another process. Their output goes to files, as the output of
 * a command in a shell with `>` does.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../folders.ts';
import type { CommandRequest, CommandResult } from './command-process.ts';
import { addCpuMs } from './cpu-time.ts';
import type { Finished } from './process.ts';
import { whenThisProcessEnds } from './process-end.ts';

interface Runner {
  readonly isAlive: () => boolean;
  readonly run: (request: CommandRequest) => Promise<Finished>;
  readonly kill: () => void;
}

const idle: Runner[] = [];
const busy = new Set<Runner>();

export async function runCommand(request: CommandRequest): Promise<Finished> {
  const usable = idle.splice(0).filter(({ isAlive }) => isAlive());
  const runner = usable.pop() ?? (await startRunner());
  idle.push(...usable);
  busy.add(runner);
  const finished = await runner.run(request);
  // A runner that was ended meanwhile is not used again.
  if (busy.delete(runner)) idle.push(runner);
  return finished;
}

/** Ends the commands that still run, as a test that fails may leave them. */
export function endCommands(): void {
  for (const runner of busy) runner.kill();
  busy.clear();
}

let folder: string | undefined;
let made = 0;

async function startRunner(): Promise<Runner> {
  if (folder === undefined) {
    folder = newFolder('catalogue-commands-');
    whenThisProcessEnds(`rm -rf '${folder}'`);
  }
  const name = join(folder, String(++made));
  const files = [`${name}.out`, `${name}.err`] as const;
  const socket = `${name}.socket`;
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'command-process.ts'), socket], {
    // The process ends when this end of its standard input closes.
    stdin: 'pipe',
    stdout: Bun.file(files[0]),
    stderr: Bun.file(files[1]),
  });
  child.unref();
  while (!existsSync(socket) && child.exitCode === null) await Bun.sleep(5);
  let cpuMs = 0;
  const send = async (request: CommandRequest) => {
    // A connection of its own: the other side may just be closing one that is idle.
    const options = { method: 'POST', body: JSON.stringify(request), unix: socket, keepalive: false };
    const answer = await fetch('http://command/', options).catch(async (error: unknown) => {
      const ended = await Promise.race([child.exited, Bun.sleep(1000)]);
      const state = ended === undefined ? 'runs' : `ended with ${child.signalCode ?? ended}`;
      throw new Error(`${error}; the process ${state}; ${readFileSync(files[1], 'utf8').slice(-2000)}`);
    });
    const result = (await answer.json()) as CommandResult;
    addCpuMs(result.cpuMs - cpuMs);
    ({ cpuMs } = result);
    return result.exitCode;
  };
  return {
    isAlive: () => child.exitCode === null && child.signalCode === null,
    run: async (request) => {
      const starts = files.map((file) => statSync(file).size);
      const exitCode = await Promise.race([send(request), child.exited]);
      const [stdout, stderr] = files.map((file, at) => readFileSync(file).subarray(starts[at]).toString());
      return { exitCode, stdout: stdout!, stderr: stderr! };
    },
    kill: () => child.kill('SIGKILL'),
  };
}
