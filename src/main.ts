/** The program `catalogue`: finds the command, runs it, and says in one sentence what went wrong. */
import manifest from '../package.json' with { type: 'json' };
import type { Command } from './cli/command.ts';
import { serve } from './cli/serve.ts';
import { ConfigError } from './config.ts';
import { nearestName } from './nearest-name.ts';

const COMMANDS: readonly Command[] = [serve];

const HELP = `Usage: catalogue <command> [flags]

${COMMANDS.map((command) => `  ${command.name.padEnd(10)} ${command.summary}`).join('\n')}

catalogue <command> --help tells a command's flags; catalogue --version the version.`;

async function main([name, ...args]: readonly string[]): Promise<void> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') return console.log(HELP);
  if (name === '--version' || name === '-v') return console.log(manifest.version);
  const command = COMMANDS.find((each) => each.name === name);
  if (command === undefined) throw unknownCommand(name);
  if (args.includes('--help') || args.includes('-h')) return console.log(command.help());
  if (args.includes('--version')) return console.log(manifest.version);
  await command.run(args, process.env);
}

function unknownCommand(name: string): ConfigError {
  const nearest = nearestName(
    name,
    COMMANDS.map((command) => command.name),
  );
  return new ConfigError(
    `unknown command ${name}; ${nearest === undefined ? 'see catalogue --help' : `perhaps you meant ${nearest}`}`,
  );
}

try {
  await main(process.argv.slice(2));
  process.exit(0);
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(`catalogue: ${error.message}`);
  process.exit(1);
}
