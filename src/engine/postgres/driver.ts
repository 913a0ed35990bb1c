/** Access to Bun's driver: a pool of connections to one server, and statements with bound values. */
import { type ReservedSQL, SQL } from 'bun';
import { INT4_MAX, INT4_MIN } from '../../base/limits/declaration.ts';
import type { Value } from '../../collection/value.ts';
import { ConfigError } from '../../settings/by-command.ts';
import { DEFAULT_EXTRA_SEARCH_PATH } from '../../settings/database.ts';
import { identifier, type Statement } from '../sql/statement.ts';
import { describe, isInternal, ServerUnresponsive, unavailable } from './errors.ts';
import { nameUnknownHost, type ServerAddress, type Target } from './url.ts';

export interface SessionSettings {
  readonly schema: string;
  readonly poolSize: number;
  readonly connectSeconds: number;
  readonly querySeconds: number;
  /** Schemas in the search path after that of the tables; by default `public`. */
  readonly extraSearchPath?: readonly string[];
  /** Whether connections keep prepared statements; the default is true. */
  readonly preparedStatements?: boolean;
}

export type Notice = (level: 'info' | 'warn', message: string) => void;

/** A pool or one connection, of the driver or of this service. */
export interface Runner {
  unsafe<T>(text: string, values?: Value[]): Promise<T>;
}

/** PostgreSQL ends open transactions of an instance that vanished, which would hold rows or idempotency keys. */
const IDLE_IN_TRANSACTION = '15s';
/** Bounds how long a client that stopped reading holds a snapshot, and with it all dead rows. */
export const WAITING_FOR_A_CLIENT = `set local idle_in_transaction_session_timeout = '5min'`;

/** Hosted databases have extensions in the last one. Operators of extensions must be in the path. */
export function searchPath(schema: string, extra = DEFAULT_EXTRA_SEARCH_PATH): string {
  return [...new Set([schema, ...extra, 'extensions'])].map(identifier).join(', ');
}

/**
 * The search path without other schemas. Changes of the schema need it, so that a name that is missing here is not
 * found there. So does its description, so that types have the same names with every `--extra-search-path`.
 */
export function ownSearchPath(schema: string): string {
  return searchPath(schema, []);
}

function parametersOf({ schema, querySeconds, extraSearchPath }: SessionSettings) {
  return {
    search_path: searchPath(schema, extraSearchPath),
    statement_timeout: querySeconds * 1000,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION,
    // A transaction that waited for a locked row continues with its new version, whatever the server's default.
    default_transaction_isolation: 'read committed',
    // The server detects within half a minute that an instance has vanished.
    tcp_keepalives_idle: 10,
    tcp_keepalives_interval: 5,
    tcp_keepalives_count: 3,
    tcp_user_timeout: 25_000,
    // PostgreSQL prints all digits of a float, whatever the server's default.
    extra_float_digits: 1,
  };
}

/** The session parameters that a pooler may not know. */
export const SESSION_PARAMETERS = Object.keys(
  parametersOf({ schema: '', poolSize: 0, connectSeconds: 0, querySeconds: 0 }),
);

/** `ended` is called for every connection that closes or cannot be opened. */
export function openPool(
  server: ServerAddress,
  settings: SessionSettings,
  max = settings.poolSize,
  ended?: () => void,
): SQL {
  return new SQL(server.url, {
    max,
    ...(ended === undefined ? {} : { onclose: ended }),
    connectionTimeout: settings.connectSeconds,
    prepare: settings.preparedStatements ?? true,
    connection: {
      application_name: 'catalogue',
      // Timestamps are in UTC and start with the year, whatever the server's default.
      TimeZone: 'UTC',
      DateStyle: 'ISO, MDY',
      ...parametersOf(settings),
    },
  });
}

/** A statement without values may be a text. */
export function query<T = Record<string, unknown>>(runner: Runner, statement: Statement | string): Promise<T[]> {
  if (typeof statement === 'string') return runner.unsafe<T[]>(statement, []);
  return runner.unsafe<T[]>(statement.sql, statement.params.map(encode));
}

/** How long a request waits for a dedicated connection while all are in use. */
const RESERVE_MS = 5_000;

export async function reserve(pool: SQL, milliseconds = RESERVE_MS): Promise<ReservedSQL> {
  const signal = AbortSignal.timeout(milliseconds);
  try {
    return await pool.reserve({ signal });
  } catch (error) {
    throw signal.aborted ? unavailable('All connections to PostgreSQL are in use') : error;
  }
}

/** A timer that is this late shows that the process was held up. */
const HELD_UP_MS = 250;

/** Settles as the work does, or rejects with ServerUnresponsive after the time limit. All connections may be in use. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const end = performance.now() + milliseconds;
    const giveUp = () => {
      // If this process was held up, the answer may be waiting, and is read first.
      const wasHeldUp = performance.now() > end + HELD_UP_MS;
      timer = setTimeout(() => reject(new ServerUnresponsive()), wasHeldUp ? HELD_UP_MS : 0);
    };
    timer = setTimeout(giveUp, milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The driver would send a fraction as a double. As text it keeps its decimal digits. */
function encode(value: Value): Value {
  if (typeof value !== 'number') return value;
  return Number.isInteger(value) && value >= INT4_MIN && value <= INT4_MAX ? value : String(value);
}

/** One-off work of a command on a server, with errors as one clear sentence. */
export async function withOneConnection<T>(
  target: Target,
  settings: SessionSettings,
  work: (pool: SQL) => Promise<T>,
): Promise<T> {
  const server = target.servers[0]!;
  const pool = openPool(server, settings, 1);
  try {
    return await work(pool);
  } catch (error) {
    if (error instanceof ConfigError || isInternal(error)) throw error;
    throw new ConfigError(`${target.location}: ${describe(await nameUnknownHost(error, server))}`);
  } finally {
    await pool.close({ timeout: 0 });
  }
}

export const ADVISORY_LOCKS = {
  migration: 0x50436174,
  /** Held while a sequence moves: of two that move it at once, neither moves it back. */
  sequence: 0x50436175,
  lateIndexes: 0x50436176,
  ownTables: 0x50436177,
  /** With the table as the second key: held by a transaction that moves rows of a tree. */
  tree: 0x50436178,
  /** Held together by all dry runs: one that waits for another does not end it. */
  dryRun: 0x50436179,
} as const;
