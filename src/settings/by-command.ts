/**
 * The settings of each command. A table lists settings with their flag, environment variable, reader and default; the
 * tables of each topic are in settings/. settings/resolve.ts combines flags, environment and settings file.
 */
import { DEFAULT_COMMAND_CONNECTIONS, DEFAULT_COMMAND_SECONDS } from '../base/limits/engine.ts';
import { ACCESS_SETTINGS } from './access.ts';
import { BACKUP_SETTINGS, DATABASE, DATABASE_SETTINGS, EMPTY } from './database.ts';
import { describeSettings } from './describe.ts';
import { LOG_SETTINGS, type LogLevel } from './logging.ts';
import { AGENT_SETTINGS, NETWORK_SETTINGS, PORT_SETTINGS, WEBHOOK_SETTINGS } from './network.ts';
import { type Environment, type Resolved, resolveSettings } from './resolve.ts';
import { ConfigError, envSetting, hideSettings, option, type Table, text, type Values } from './setting.ts';
import { WRITE_SETTINGS } from './write-limits.ts';

export { BACKUP_PLACE } from './database.ts';
export { ConfigError, describeSettings, type LogLevel, type Values };

export const SERVE_SETTINGS = {
  ...PORT_SETTINGS,
  ...NETWORK_SETTINGS,
  database: DATABASE,
  ...DATABASE_SETTINGS,
  empty: EMPTY,
  ...WRITE_SETTINGS,
  ...ACCESS_SETTINGS,
  ...LOG_SETTINGS,
  ...BACKUP_SETTINGS,
  ...WEBHOOK_SETTINGS,
  ...AGENT_SETTINGS,
} as const;
export type ServeSettings = Values<typeof SERVE_SETTINGS>;
export type DatabaseSettings = Values<typeof DATABASE_SETTINGS>;

/** For commands, which may run longer than a request. Settings that concern only a running service are hidden. */
const COMMAND_DATABASE_SETTINGS = {
  ...hideSettings(
    DATABASE_SETTINGS,
    'replicas',
    'replicaLagSeconds',
    'replicaReads',
    'idempotencyHours',
    'dryRunSeconds',
  ),
  querySeconds: { ...DATABASE_SETTINGS.querySeconds, byDefault: DEFAULT_COMMAND_SECONDS },
  poolSize: { ...DATABASE_SETTINGS.poolSize, byDefault: DEFAULT_COMMAND_CONNECTIONS, isHidden: true },
  /** A command leaves the log of the service as it is. */
  historyDays: { ...DATABASE_SETTINGS.historyDays, byDefault: undefined, isHidden: true },
} as const;

export const MIGRATE_SETTINGS = { database: DATABASE, ...COMMAND_DATABASE_SETTINGS, empty: EMPTY } as const;
export const COPY_SETTINGS = {
  from: envSetting('--from URL: database to copy from', '', text, { env: 'COPY_FROM' }),
  to: envSetting('--to URL: database to copy to', '', text, { env: 'COPY_TO' }),
  toSchema: envSetting('--to-schema NAME: schema in the target, if it differs from --schema', '', text, {
    env: 'COPY_TO_SCHEMA',
  }),
  toFiles: envSetting(
    '--to-files PLACE: folder or s3://bucket/prefix for the files of the target; by default the database',
    '',
    text,
    { env: 'COPY_TO_FILES' },
  ),
  withoutLog: option('--without-log: do not copy the log of changes: the target begins without a history'),
  ...COMMAND_DATABASE_SETTINGS,
} as const;

/** For commands that read and write rows. */
export const DATA_SETTINGS = { database: DATABASE, ...COMMAND_DATABASE_SETTINGS } as const;

/** For commands that copy SQLite files, and therefore need no connection to a server. */
export const FILE_SETTINGS = hideSettings(
  DATA_SETTINGS,
  'schema',
  'extraSearchPath',
  'connectSeconds',
  'querySeconds',
  'preparedStatements',
);

/** For commands that make and read backups. */
export const BACKUP_COMMAND_SETTINGS = { ...FILE_SETTINGS, backupKey: BACKUP_SETTINGS.backupKey } as const;

const KNOWN = Object.values({ ...SERVE_SETTINGS, ...COPY_SETTINGS });

/** Reads settings and up to `operands` arguments that are not flags. Returns the origin of each value as well. */
export function readCommand<T extends Table>(
  table: T,
  args: readonly string[],
  env: Environment,
  operands: number,
): Resolved<T> {
  return resolveSettings(table, args, env, { known: KNOWN, operands });
}
