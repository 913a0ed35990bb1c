/**
 * Settings: tables of them, each with its flag, its environment variable, how it is read and what it is by default; by what
 * they are about in settings/, and here by command. What a flag, the environment and a settings file say is made one in
 * settings/resolve.ts.
 */
import { DEFAULT_COMMAND_SECONDS } from '../base/limits/engine.ts';
import { ACCESS_SETTINGS } from './access.ts';
import { BACKUP_SETTINGS } from './backups.ts';
import { DATABASE, DATABASE_SETTINGS, EMPTY } from './database.ts';
import { describeSettings } from './describe.ts';
import { LISTENING_SETTINGS } from './listening.ts';
import { NETWORK_SETTINGS } from './network.ts';
import { type LogLevel, OBSERVING_SETTINGS } from './observing.ts';
import { type Environment, type Resolved, resolveSettings } from './resolve.ts';
import { ConfigError, setting, type Table, text, unlisted, type Values } from './setting.ts';
import { WRITING_SETTINGS } from './writing.ts';

export { ConfigError, describeSettings, type LogLevel, type Values };

export const SERVE_SETTINGS = {
  ...LISTENING_SETTINGS,
  ...NETWORK_SETTINGS,
  database: DATABASE,
  ...DATABASE_SETTINGS,
  empty: EMPTY,
  ...WRITING_SETTINGS,
  ...ACCESS_SETTINGS,
  ...OBSERVING_SETTINGS,
  ...BACKUP_SETTINGS,
} as const;
export type ServeSettings = Values<typeof SERVE_SETTINGS>;
export type DatabaseSettings = Values<typeof DATABASE_SETTINGS>;

/** Those of a command that opens it once: it may take its time, and how a service goes on with it is not its business. */
const COMMAND_DATABASE_SETTINGS = {
  ...unlisted(
    DATABASE_SETTINGS,
    'replicas',
    'replicaLagSeconds',
    'replicaReads',
    'poolSize',
    'idempotencyHours',
    'dryRunSeconds',
  ),
  querySeconds: { ...DATABASE_SETTINGS.querySeconds, byDefault: DEFAULT_COMMAND_SECONDS },
} as const;

export const MIGRATE_SETTINGS = { database: DATABASE, ...COMMAND_DATABASE_SETTINGS, empty: EMPTY } as const;
export const COPY_SETTINGS = {
  from: setting({
    flag: '--from',
    env: 'COPY_FROM',
    argument: 'URL',
    description: 'database to copy from',
    byDefault: '',
    read: text,
  }),
  to: setting({
    flag: '--to',
    env: 'COPY_TO',
    argument: 'URL',
    description: 'database to copy to',
    byDefault: '',
    read: text,
  }),
  toSchema: setting({
    flag: '--to-schema',
    env: 'COPY_TO_SCHEMA',
    argument: 'NAME',
    description: 'schema in the target, where it differs from --schema',
    byDefault: '',
    read: text,
  }),
  ...COMMAND_DATABASE_SETTINGS,
} as const;

/** What commands that read and write the data share. */
export const DATA_SETTINGS = { database: DATABASE, ...COMMAND_DATABASE_SETTINGS } as const;

/** For the commands that copy files: of a server they only say which tools it has. */
export const FILE_SETTINGS = unlisted(DATA_SETTINGS, 'schema', 'connectSeconds', 'querySeconds', 'preparedStatements');

const KNOWN = Object.values({ ...SERVE_SETTINGS, ...COPY_SETTINGS });

export function readSettings<T extends Table>(table: T, args: readonly string[], env: Environment): Values<T> {
  return resolveSettings(table, args, env, { known: KNOWN }).values;
}

/** The same with up to so many arguments that are no flags, and with the origin of each value. */
export function readCommand<T extends Table>(
  table: T,
  args: readonly string[],
  env: Environment,
  operands: number,
): Resolved<T> {
  return resolveSettings(table, args, env, { known: KNOWN, operands });
}
