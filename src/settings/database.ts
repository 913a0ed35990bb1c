/** Settings of the database connection. */
import { DEFAULT_DRY_RUN_SECONDS, DEFAULT_HISTORY_DAYS, DEFAULT_REPLICA_LAG_SECONDS } from '../base/limits/engine.ts';
import {
  ConfigError,
  duration,
  envSetting,
  longDuration,
  names,
  oneOf,
  onOrOff,
  text,
  urls,
  wholeNumber,
} from './setting.ts';

/** As in PostgREST. */
export const DEFAULT_EXTRA_SEARCH_PATH: readonly string[] = ['public'];

const MIN_BACKUP_KEY_LENGTH = 16;

function backupPlace(given: string, name: string): string {
  if (/^s3:\/\/[^/]|^file:./.test(given)) return given;
  throw new ConfigError(`${name} is a place such as s3://bucket/path or file:/srv/backups, not ${given}`);
}

/** An error message never repeats a secret. */
function backupKey(given: string, name: string): string {
  if (given.length >= MIN_BACKUP_KEY_LENGTH) return given;
  throw new ConfigError(`${name} must have at least ${MIN_BACKUP_KEY_LENGTH} characters`);
}

export const COLLECTIONS = envSetting(
  '--collections FILE: declaration of the collections; default: collections.yaml, .yml or .json in the working folder, if one exists',
  '',
);

/** The database that most commands work on. */
export const DATABASE = envSetting(
  '--database URL: sqlite:PATH, a plain path, :memory:, or postgres://user:password@host/name',
  'sqlite:catalogue.db',
  text,
  { env: 'DATABASE_URL', secret: 'url' },
);

/** For commands that create a database. */
export const EMPTY = envSetting('--empty: start a new catalogue without the built-in products');

/** Connection settings of every command that opens a database. */
export const DATABASE_SETTINGS = {
  collections: COLLECTIONS,
  schema: envSetting(
    '--schema NAME: schema of the tables in PostgreSQL; Accept-Profile and Content-Profile accept its name',
    'public',
  ),
  extraSearchPath: envSetting(
    '--extra-search-path NAMES: schemas after --schema in the search path, for extensions and functions, separated by commas; none if empty',
    DEFAULT_EXTRA_SEARCH_PATH,
    names,
  ),
  replicas: envSetting(
    '--replicas URLS: PostgreSQL replicas to read from, separated by commas',
    [] as readonly string[],
    urls,
    { env: 'DATABASE_REPLICA_URLS', secret: 'url' },
  ),
  replicaLagSeconds: envSetting(
    '--replica-lag SECONDS: maximum lag of a standby that serves reads',
    DEFAULT_REPLICA_LAG_SECONDS,
    wholeNumber(1, 300),
  ),
  replicaReads: envSetting<'own' | 'any'>(
    '--replica-reads WHICH: own: a standby serves reads once it has the writes of this instance; any: once it has the writes that the client names',
    'own',
    oneOf(['own', 'any']),
  ),
  poolSize: envSetting('--pool-size NUMBER: connections to each PostgreSQL server', 10, wholeNumber(2, 1000)),
  connectSeconds: envSetting(
    '--connect-timeout SECONDS: time limit to open a connection to PostgreSQL',
    5,
    wholeNumber(1, 300),
  ),
  preparedStatements: envSetting(
    '--prepared-statements ON_OR_OFF: use prepared statements in PostgreSQL; off for a pooler that does not support them',
    true,
    onOrOff,
  ),
  historyDays: envSetting<number | undefined>(
    '--history-days NUMBER: how long to keep the log of changes; 0 disables it',
    DEFAULT_HISTORY_DAYS,
    wholeNumber(0, 36500),
  ),
  idempotencyHours: envSetting(
    '--idempotency-hours NUMBER: how long to keep the response to an Idempotency-Key',
    24,
    wholeNumber(1, 8760),
  ),
  querySeconds: envSetting(
    '--query-timeout SECONDS: time limit of a read; on PostgreSQL of any statement',
    10,
    wholeNumber(1, 3600),
  ),
  dryRunSeconds: envSetting(
    '--dry-run-timeout SECONDS: how long a dry run (Prefer: tx=rollback) may take, within --query-timeout',
    DEFAULT_DRY_RUN_SECONDS,
    wholeNumber(1, 3600),
  ),
} as const;

export const BACKUP_PLACE = {
  backupTo: envSetting(
    '--backup-to PLACE: place of the backups, s3://bucket/path or file:FOLDER; by default --backup-folder',
    '',
    backupPlace,
  ),
  backupFolder: envSetting('--backup-folder FOLDER: folder of the backups', 'backups'),
} as const;

export const BACKUP_SETTINGS = {
  backupKey: envSetting(
    `--backup-key SECRET: key that encrypts backups, at least ${MIN_BACKUP_KEY_LENGTH} characters; use the environment, because other users can see flags`,
    '',
    backupKey,
    { secret: 'whole' },
  ),
  backupSeconds: envSetting(
    '--backup-every TIME: interval of SQLite backups, such as 1h; 0 disables them',
    0,
    duration,
    { aliases: ['--every'] },
  ),
  backupsKept: envSetting('--backup-keep NUMBER: number of backups to keep', 24, wholeNumber(1, 10_000), {
    aliases: ['--keep'],
  }),
  backupAgeSeconds: envSetting(
    '--backup-keep-for TIME: how long to keep backups, such as 30d; 0 keeps them as long as --backup-keep does',
    0,
    longDuration,
  ),
  backupLogSeconds: envSetting(
    '--backup-log-every TIME: interval at which the changes after the last backup are stored beside it; 0 disables it',
    10,
    duration,
  ),
  ...BACKUP_PLACE,
} as const;
