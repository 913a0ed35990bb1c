/**
 * A process that runs one command after another, each in its own folder and environment, for command-runner.ts. It
 * listens on the socket that its argument names.
 */
import { renameSync } from 'node:fs';
import { runProgram } from '../../../src/cli/program.ts';
import { cpuMs } from './cpu-time.ts';

export interface CommandRequest {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly stdin: string;
  readonly umask: number;
}

export interface CommandResult {
  readonly exitCode: number;
  /** The CPU time of the process so far. */
  readonly cpuMs: number;
}

async function run({ cwd, env, args, stdin, umask }: CommandRequest): Promise<number> {
  process.chdir(cwd);
  process.umask(umask);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  Bun.stdin.stream = () => new Blob([stdin]).stream();
  try {
    return await runProgram(args);
  } catch (error) {
    console.error(error);
    return 1;
  }
}

process.stdin.on('end', () => process.exit()).resume();

const socket = process.argv[2]!;
const unnamed = `${socket}.new`;
Bun.serve({
  unix: unnamed,
  fetch: async (request, server) => {
    server.timeout(request, 0);
    const exitCode = await run((await request.json()) as CommandRequest);
    return Response.json({ exitCode, cpuMs: cpuMs() } satisfies CommandResult);
  },
});
// The file exists before the process listens. It gets its name only now, when a connection is accepted.
renameSync(unnamed, socket);
