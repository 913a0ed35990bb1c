/** The program `catalogue`: finds and runs a command, and prints an error in one sentence. */
import manifest from '../package.json' with { type: 'json' };
import { suggestName } from './base/nearest-name.ts';
import type { Command } from './cli/shared/command.ts';
import { startupError } from './engine/shared/startup-errors.ts';
import { ConfigError } from './settings/by-command.ts';

type Load = () => Promise<{ readonly command: Command }>;

/** Commands by name, with a summary. A command is loaded on demand. */
const COMMANDS: Readonly<Record<string, readonly [summary: string, load: Load]>> = {
  serve: ['serve the catalogue over HTTP', () => import('./cli/serve.ts')],
  query: ['show rows in a table', () => import('./cli/query.ts')],
  import: ['store the rows of a CSV, JSON or NDJSON file', () => import('./cli/import.ts')],
  export: ['write rows as CSV, JSON or NDJSON', () => import('./cli/export.ts')],
  backup: ['copy the database to a file while the service runs', () => import('./cli/backup.ts')],
  restore: ['replace the database by a backup', () => import('./cli/restore.ts')],
  check: ['check database integrity, or validate a declaration', () => import('./cli/check.ts')],
  init: ['write a first declaration of collections', () => import('./cli/init.ts')],
  declare: ['write the declaration of existing tables', () => import('./cli/declare.ts')],
  migrate: ['create or update the tables', () => import('./cli/migrate.ts')],
  copy: ['copy a catalogue to another database', () => import('./cli/copy.ts')],
  key: ['add, list and revoke API keys', () => import('./cli/key.ts')],
  user: ['add, list, change and remove users', () => import('./cli/user.ts')],
  webhooks: ['list and repeat deliveries of webhooks', () => import('./cli/webhooks.ts')],
  config: ['show the effective settings and their sources', () => import('./cli/config.ts')],
  health: ['ask a running service whether it is ready', () => import('./cli/health.ts')],
  openapi: ['print the OpenAPI description of the service', () => import('./cli/openapi.ts')],
  types: ['print TypeScript types for clients', () => import('./cli/types.ts')],
};
const NAMES = Object.keys(COMMANDS);

const HELP = `Usage: catalogue <command> [flags]

${NAMES.map((name) => `  ${name.padEnd(10)} ${COMMANDS[name]![0]}`).join('\n')}

catalogue <command> --help shows the flags of a command; catalogue --version shows the version.`;

// biome-ignore lint/suspicious/noConfusingVoidType: as a command's own run.
async function main([name, ...args]: readonly string[]): Promise<number | void> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') return console.log(HELP);
  if (name === '--version' || name === '-v') return console.log(manifest.version);
  // `catalogue serve --workers` starts `worker`; it is not for people.
  const worker: Load = () => import('./cli/worker.ts');
  const load = name === 'worker' ? worker : Object.hasOwn(COMMANDS, name) ? COMMANDS[name]![1] : undefined;
  if (load === undefined) {
    throw new ConfigError(`unknown command ${name}; ${suggestName(name, NAMES, 'see catalogue --help')}`);
  }
  const { command } = await load();
  if (args.includes('--help') || args.includes('-h')) return console.log(command.help());
  if (args.includes('--version')) return console.log(manifest.version);
  return command.run(args, process.env);
}

try {
  const code = await main(process.argv.slice(2));
  process.exit(code ?? 0);
} catch (error) {
  const reason = error instanceof ConfigError ? error.message : startupError(error);
  if (reason === undefined) throw error;
  if (process.argv.includes('--json')) console.log(JSON.stringify({ ok: false, error: reason }));
  else console.error(`catalogue: ${reason}`);
  process.exit(1);
}
