/** The program `catalogue`: finds the command, runs it, and says in one sentence what went wrong. */
import manifest from '../package.json' with { type: 'json' };
import { backup } from './cli/backup.ts';
import { check } from './cli/check.ts';
import type { Command } from './cli/command.ts';
import { config } from './cli/config.ts';
import { copy } from './cli/copy.ts';
import { declare } from './cli/declare.ts';
import { exportRows } from './cli/export.ts';
import { health } from './cli/health.ts';
import { importRows } from './cli/import.ts';
import { init } from './cli/init.ts';
import { key } from './cli/key.ts';
import { migrate } from './cli/migrate.ts';
import { openapi } from './cli/openapi.ts';
import { query } from './cli/query.ts';
import { restore } from './cli/restore.ts';
import { serve } from './cli/serve.ts';
import { types } from './cli/types.ts';
import { user } from './cli/user.ts';
import { worker } from './cli/worker.ts';
import { ConfigError } from './config.ts';
import { failureOf } from './engine/failures.ts';
import { nearestName } from './nearest-name.ts';

const COMMANDS: readonly Command[] = [
  serve,
  query,
  importRows,
  exportRows,
  backup,
  restore,
  check,
  init,
  declare,
  migrate,
  copy,
  key,
  user,
  config,
  health,
  openapi,
  types,
];

const HELP = `Usage: catalogue <command> [flags]

${COMMANDS.map((command) => `  ${command.name.padEnd(10)} ${command.summary}`).join('\n')}

catalogue <command> --help tells a command's flags; catalogue --version the version.`;

// biome-ignore lint/suspicious/noConfusingVoidType: as a command's own run.
async function main([name, ...args]: readonly string[]): Promise<number | void> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') return console.log(HELP);
  if (name === '--version' || name === '-v') return console.log(manifest.version);
  const command = [...COMMANDS, worker].find((each) => each.name === name);
  if (command === undefined) throw unknownCommand(name);
  if (args.includes('--help') || args.includes('-h')) return console.log(command.help());
  if (args.includes('--version')) return console.log(manifest.version);
  return command.run(args, process.env);
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
  const code = await main(process.argv.slice(2));
  process.exit(code ?? 0);
} catch (error) {
  const reason = error instanceof ConfigError ? error.message : failureOf(error);
  if (reason === undefined) throw error;
  if (process.argv.includes('--json')) console.log(JSON.stringify({ ok: false, error: reason }));
  else console.error(`catalogue: ${reason}`);
  process.exit(1);
}
