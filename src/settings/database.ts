/** Settings of the database connection. */
import {
  DEFAULT_CONNECT_SECONDS,
  DEFAULT_DRY_RUN_SECONDS,
  DEFAULT_HISTORY_DAYS,
  DEFAULT_IDEMPOTENCY_HOURS,
  DEFAULT_POOL_SIZE,
  DEFAULT_QUERY_SECONDS,
  DEFAULT_REPLICA_LAG_SECONDS,
} from '../base/limits/engine.ts';
import { oneOf, onOrOff, setting, text, urls, wholeNumber } from './setting.ts';

/** The declaration file. */
export const COLLECTIONS = setting({
  flag: '--collections',
  env: 'CATALOGUE_COLLECTIONS',
  argument: 'FILE',
  description:
    'declaration of the collections; default: collections.yaml, .yml or .json in the working folder, if one exists',
  byDefault: '',
  read: text,
});

/** The database that most commands work on. */
export const DATABASE = setting({
  flag: '--database',
  env: 'DATABASE_URL',
  argument: 'URL',
  description: 'sqlite:PATH, a plain path, :memory:, or postgres://user:password@host/name',
  byDefault: 'sqlite:catalogue.db',
  read: text,
  secret: 'url',
});

/** For commands that create a database. */
export const EMPTY = setting({
  flag: '--empty',
  env: 'CATALOGUE_EMPTY',
  description: 'start a new catalogue without the reference products',
  byDefault: false,
  read: onOrOff,
});

/** Connection settings of every command that opens a database. */
export const DATABASE_SETTINGS = {
  collections: COLLECTIONS,
  schema: setting({
    flag: '--schema',
    env: 'CATALOGUE_SCHEMA',
    argument: 'NAME',
    description: 'schema of the tables in PostgreSQL; Accept-Profile and Content-Profile accept its name',
    byDefault: 'public',
    read: text,
  }),
  replicas: setting({
    flag: '--replicas',
    env: 'DATABASE_REPLICA_URLS',
    argument: 'URLS',
    description: 'PostgreSQL replicas to read from, separated by commas',
    byDefault: [] as readonly string[],
    read: urls,
    secret: 'url',
  }),
  replicaLagSeconds: setting({
    flag: '--replica-lag',
    env: 'CATALOGUE_REPLICA_LAG',
    argument: 'SECONDS',
    description: 'maximum lag of a standby that serves reads',
    byDefault: DEFAULT_REPLICA_LAG_SECONDS,
    read: wholeNumber(1, 300),
  }),
  replicaReads: setting<'own' | 'any'>({
    flag: '--replica-reads',
    env: 'CATALOGUE_REPLICA_READS',
    argument: 'WHICH',
    description:
      'own: a standby serves reads once it has the writes of this instance; any: once it has the writes that the client names',
    byDefault: 'own',
    read: oneOf(['own', 'any']),
  }),
  poolSize: setting({
    flag: '--pool-size',
    env: 'CATALOGUE_POOL_SIZE',
    argument: 'NUMBER',
    description: 'connections to each PostgreSQL server',
    byDefault: DEFAULT_POOL_SIZE,
    read: wholeNumber(2, 1000),
  }),
  connectSeconds: setting({
    flag: '--connect-timeout',
    env: 'CATALOGUE_CONNECT_TIMEOUT',
    argument: 'SECONDS',
    description: 'time limit to open a connection to PostgreSQL',
    byDefault: DEFAULT_CONNECT_SECONDS,
    read: wholeNumber(1, 300),
  }),
  preparedStatements: setting({
    flag: '--prepared-statements',
    env: 'CATALOGUE_PREPARED_STATEMENTS',
    argument: 'ON_OR_OFF',
    description: 'use prepared statements in PostgreSQL; off for a pooler that does not support them',
    byDefault: true,
    read: onOrOff,
  }),
  historyDays: setting({
    flag: '--history-days',
    env: 'CATALOGUE_HISTORY_DAYS',
    argument: 'NUMBER',
    description: 'how long to keep the log of changes; 0 disables it',
    byDefault: DEFAULT_HISTORY_DAYS,
    read: wholeNumber(0, 36500),
  }),
  idempotencyHours: setting({
    flag: '--idempotency-hours',
    env: 'CATALOGUE_IDEMPOTENCY_HOURS',
    argument: 'NUMBER',
    description: 'how long to keep the response to an Idempotency-Key',
    byDefault: DEFAULT_IDEMPOTENCY_HOURS,
    read: wholeNumber(1, 8760),
  }),
  querySeconds: setting({
    flag: '--query-timeout',
    env: 'CATALOGUE_QUERY_TIMEOUT',
    argument: 'SECONDS',
    description: 'time limit of a read; on PostgreSQL of any statement',
    byDefault: DEFAULT_QUERY_SECONDS,
    read: wholeNumber(1, 3600),
  }),
  dryRunSeconds: setting({
    flag: '--dry-run-timeout',
    env: 'CATALOGUE_DRY_RUN_TIMEOUT',
    argument: 'SECONDS',
    description: 'how long a dry run (Prefer: tx=rollback) may take, within --query-timeout',
    byDefault: DEFAULT_DRY_RUN_SECONDS,
    read: wholeNumber(1, 3600),
  }),
} as const;
