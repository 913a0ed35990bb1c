/**
 * Settings: one table of them, each with its flag, its environment variable, how it is read and what it is by default.
 * What a flag, the environment and a settings file say is made one in settings/resolve.ts.
 */

import {
  DEFAULT_BACKUPS_KEPT,
  DEFAULT_COMMAND_SECONDS,
  DEFAULT_CONNECT_SECONDS,
  DEFAULT_IDEMPOTENCY_HOURS,
  DEFAULT_MAX_BODY_MB,
  DEFAULT_POOL_SIZE,
  DEFAULT_QUERY_SECONDS,
  DEFAULT_REPLICA_LAG_SECONDS,
  DEFAULT_SLOW_QUERY_MS,
  MAX_WORKERS,
} from './limits.ts';
import { describeSettings } from './settings/describe.ts';
import { type Environment, type Resolved, resolveSettings } from './settings/resolve.ts';
import {
  ConfigError,
  duration,
  oneOf,
  onOrOff,
  setting,
  type Table,
  text,
  urls,
  type Values,
  wholeNumber,
} from './settings/setting.ts';

export { ConfigError, describeSettings, type Values };

export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';
export type LogFormat = 'auto' | 'json' | 'pretty';
const LOG_FORMATS: readonly LogFormat[] = ['auto', 'json', 'pretty'];
const LOG_LEVELS: readonly LogLevel[] = ['silent', 'error', 'warn', 'info', 'debug'];

export const SERVE_SETTINGS = {
  port: setting({
    flag: '--port',
    env: 'PORT',
    argument: 'NUMBER',
    description: 'port to listen on; 0 takes a free one',
    byDefault: 3000,
    read: wholeNumber(0, 65_535),
  }),
  host: setting({
    flag: '--host',
    env: 'HOST',
    argument: 'ADDRESS',
    description: 'address to listen on',
    byDefault: '127.0.0.1',
    read: text,
  }),
  database: setting({
    flag: '--database',
    env: 'DATABASE_URL',
    argument: 'URL',
    description: 'sqlite:PATH, a plain path, :memory:, or postgres://user:password@host/name',
    byDefault: 'sqlite:catalogue.db',
    read: text,
    secret: 'url',
  }),
  schema: setting({
    flag: '--schema',
    env: 'CATALOGUE_SCHEMA',
    argument: 'NAME',
    description: 'schema of the tables in PostgreSQL',
    byDefault: 'public',
    read: text,
  }),
  replicas: setting({
    flag: '--replicas',
    env: 'DATABASE_REPLICA_URLS',
    argument: 'URLS',
    description: 'PostgreSQL standbys to read from, separated by commas',
    byDefault: [] as readonly string[],
    read: urls,
    secret: 'url',
  }),
  replicaLagSeconds: setting({
    flag: '--replica-lag',
    env: 'CATALOGUE_REPLICA_LAG',
    argument: 'SECONDS',
    description: 'how far a standby may be behind and still be read from',
    byDefault: DEFAULT_REPLICA_LAG_SECONDS,
    read: wholeNumber(1, 300),
  }),
  poolSize: setting({
    flag: '--pool-size',
    env: 'CATALOGUE_POOL_SIZE',
    argument: 'NUMBER',
    description: 'connections to PostgreSQL, for each server',
    byDefault: DEFAULT_POOL_SIZE,
    read: wholeNumber(2, 1000),
  }),
  connectSeconds: setting({
    flag: '--connect-timeout',
    env: 'CATALOGUE_CONNECT_TIMEOUT',
    argument: 'SECONDS',
    description: 'how long a connection to PostgreSQL may take to open',
    byDefault: DEFAULT_CONNECT_SECONDS,
    read: wholeNumber(1, 300),
  }),
  workers: setting({
    flag: '--workers',
    env: 'CATALOGUE_WORKERS',
    argument: 'NUMBER',
    description: 'processes that answer requests, on one port (Linux); about one for each core',
    byDefault: 1,
    read: wholeNumber(1, MAX_WORKERS),
  }),
  empty: setting({
    flag: '--empty',
    env: 'CATALOGUE_EMPTY',
    description: 'start a new catalogue without the reference products',
    byDefault: false,
    read: onOrOff,
  }),
  logLevel: setting({
    flag: '--log-level',
    env: 'CATALOGUE_LOG_LEVEL',
    argument: 'LEVEL',
    description: `how much to log: ${LOG_LEVELS.join(', ')}`,
    byDefault: 'info' as LogLevel,
    read: oneOf(LOG_LEVELS),
  }),
  logFormat: setting({
    flag: '--log-format',
    env: 'CATALOGUE_LOG_FORMAT',
    argument: 'FORMAT',
    description: 'json, pretty, or auto: pretty on a terminal',
    byDefault: 'auto' as LogFormat,
    read: oneOf(LOG_FORMATS),
  }),
  slowQueryMs: setting({
    flag: '--slow-query-ms',
    env: 'CATALOGUE_SLOW_QUERY_MS',
    argument: 'MILLISECONDS',
    description: 'log what takes longer, with its plan; 0 never does',
    byDefault: DEFAULT_SLOW_QUERY_MS,
    read: wholeNumber(0, 3_600_000),
  }),
  adminPort: setting<number | undefined>({
    flag: '--admin-port',
    env: 'CATALOGUE_ADMIN_PORT',
    argument: 'NUMBER',
    description: 'port for /live, /ready and /metrics, which is then not on the main one',
    byDefault: undefined,
    read: wholeNumber(0, 65_535),
  }),
  plans: setting({
    flag: '--plans',
    env: 'CATALOGUE_PLANS',
    description: 'answer Accept: application/vnd.pgrst.plan+json with the plan of a read',
    byDefault: false,
    read: onOrOff,
  }),
  serverTiming: setting({
    flag: '--server-timing',
    env: 'CATALOGUE_SERVER_TIMING',
    description: 'send Server-Timing: how long each stage of a request took',
    byDefault: false,
    read: onOrOff,
  }),
  handover: setting({
    flag: '--handover',
    env: 'CATALOGUE_HANDOVER',
    description: 'share the port with the process that this one replaces, or that will replace it (Linux)',
    byDefault: false,
    read: onOrOff,
  }),
  backupSeconds: setting({
    flag: '--backup-every',
    aliases: ['--every'],
    env: 'CATALOGUE_BACKUP_EVERY',
    argument: 'TIME',
    description: 'back up the SQLite file this often, such as 1h; 0 never does',
    byDefault: 0,
    read: duration,
  }),
  backupsKept: setting({
    flag: '--backup-keep',
    aliases: ['--keep'],
    env: 'CATALOGUE_BACKUP_KEEP',
    argument: 'NUMBER',
    description: 'how many of these backups are kept',
    byDefault: DEFAULT_BACKUPS_KEPT,
    read: wholeNumber(1, 10_000),
  }),
  backupFolder: setting({
    flag: '--backup-folder',
    env: 'CATALOGUE_BACKUP_FOLDER',
    argument: 'FOLDER',
    description: 'where these backups go',
    byDefault: 'backups',
    read: text,
  }),
  maxBodyMb: setting({
    flag: '--max-body-mb',
    env: 'CATALOGUE_MAX_BODY_MB',
    argument: 'NUMBER',
    description: 'largest request body, in MiB',
    byDefault: DEFAULT_MAX_BODY_MB,
    read: wholeNumber(1, 4096),
  }),
  allowUnfilteredWrites: setting({
    flag: '--allow-unfiltered-writes',
    env: 'CATALOGUE_ALLOW_UNFILTERED_WRITES',
    description: 'let PATCH and DELETE without a filter touch every product',
    byDefault: false,
    read: onOrOff,
  }),
  idempotencyHours: setting({
    flag: '--idempotency-hours',
    env: 'CATALOGUE_IDEMPOTENCY_HOURS',
    argument: 'NUMBER',
    description: 'how long the answer to an Idempotency-Key is kept',
    byDefault: DEFAULT_IDEMPOTENCY_HOURS,
    read: wholeNumber(1, 8760),
  }),
  querySeconds: setting({
    flag: '--query-timeout',
    env: 'CATALOGUE_QUERY_TIMEOUT',
    argument: 'SECONDS',
    description: 'how long a read may take; on PostgreSQL any statement',
    byDefault: DEFAULT_QUERY_SECONDS,
    read: wholeNumber(1, 3600),
  }),
} as const;

/** What every command that opens a database needs. */
const { database, schema, replicas, replicaLagSeconds, poolSize, connectSeconds, idempotencyHours, querySeconds } =
  SERVE_SETTINGS;
export const DATABASE_SETTINGS = {
  schema,
  replicas,
  replicaLagSeconds,
  poolSize,
  connectSeconds,
  idempotencyHours,
  querySeconds,
} as const;
export const MIGRATE_SETTINGS = { database, ...DATABASE_SETTINGS, empty: SERVE_SETTINGS.empty } as const;
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
  ...DATABASE_SETTINGS,
} as const;
export type DatabaseSettings = Values<typeof DATABASE_SETTINGS>;

export type ServeSettings = Values<typeof SERVE_SETTINGS>;

/** What commands that read and write the data share: they may take their time where a request may not. */
export const DATA_SETTINGS = {
  database,
  ...DATABASE_SETTINGS,
  querySeconds: { ...querySeconds, byDefault: DEFAULT_COMMAND_SECONDS },
} as const;

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
