/** The commands of the program by name, with a summary. A command is loaded on demand. */
import type { Command } from './shared/command.ts';

export type Load = () => Promise<{ readonly command: Command }>;

export const COMMANDS: Readonly<Record<string, readonly [summary: string, load: Load]>> = {
  serve: ['serve the catalogue over HTTP', () => import('./serve.ts')],
  query: ['show rows in a table', () => import('./query.ts')],
  import: ['store the rows of a CSV, JSON or NDJSON file', () => import('./import.ts')],
  export: ['write rows as CSV, JSON or NDJSON', () => import('./export.ts')],
  backup: ['copy the database to a file while the service runs', () => import('./backup.ts')],
  backups: ['list the backups of a place', () => import('./backups.ts')],
  restore: ['replace the database by a backup', () => import('./restore.ts')],
  check: ['check database integrity, or validate a declaration', () => import('./check.ts')],
  init: ['write a first declaration of collections', () => import('./init.ts')],
  declare: ['write the declaration of existing tables', () => import('./declare.ts')],
  migrate: ['create or update the tables', () => import('./migrate.ts')],
  copy: ['copy a catalogue to another database', () => import('./copy.ts')],
  key: ['add, list and revoke API keys', () => import('./key.ts')],
  user: ['add, list, change and remove users', () => import('./user.ts')],
  webhooks: ['list and repeat deliveries of webhooks', () => import('./webhooks.ts')],
  config: ['show the effective settings and their sources', () => import('./config.ts')],
  health: ['ask a running service whether it is ready', () => import('./health.ts')],
  openapi: ['print the OpenAPI description of the service', () => import('./openapi.ts')],
  types: ['print TypeScript types for clients', () => import('./types.ts')],
};
