/** Finds and runs a command, and prints an error in one sentence. */
import manifest from '../../package.json' with { type: 'json' };
import { suggestName } from '../base/nearest-name.ts';
import { startupError } from '../engine/open.ts';
import { ConfigError } from '../settings/by-command.ts';
import { COMMANDS, type Load } from './commands.ts';

const NAMES = Object.keys(COMMANDS);

const HELP = `Usage: catalogue <command> [flags]

${NAMES.map((name) => `  ${name.padEnd(10)} ${COMMANDS[name]![0]}`).join('\n')}

catalogue <command> --help shows the flags of a command; catalogue --version shows the version.`;

/** Resolves to the exit code. */
export async function runProgram(args: readonly string[]): Promise<number> {
  try {
    return (await runCommand(args)) ?? 0;
  } catch (error) {
    const reason = error instanceof ConfigError ? error.message : startupError(error);
    if (reason === undefined) throw error;
    if (args.includes('--json')) console.log(JSON.stringify({ ok: false, error: reason }));
    else console.error(`catalogue: ${reason}`);
    return 1;
  }
}

// biome-ignore lint/suspicious/noConfusingVoidType: as a command's own run.
async function runCommand([name, ...args]: readonly string[]): Promise<number | void> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') return console.log(HELP);
  if (name === '--version' || name === '-v') return console.log(manifest.version);
  // `catalogue serve --workers` starts `worker`; it is not for people.
  const worker: Load = () => import('./worker.ts');
  const load = name === 'worker' ? worker : Object.hasOwn(COMMANDS, name) ? COMMANDS[name]![1] : undefined;
  if (load === undefined) {
    if (name.startsWith('-'))
      throw new ConfigError(`${name}: a command must come first, as in catalogue serve ${name}`);
    throw new ConfigError(`unknown command ${name}; ${suggestName(name, NAMES, 'see catalogue --help')}`);
  }
  const { command } = await load();
  if (args.includes('--help') || args.includes('-h')) return console.log(command.help());
  if (args.includes('--version')) return console.log(manifest.version);
  return command.run(args, process.env);
}
