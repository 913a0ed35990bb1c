/** Opens the engine, or the maintenance, of a database URL. The only place that chooses between engines. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileProblem } from '../base/files/output-file.ts';
import { say } from '../base/sentence.ts';
import type { Catalogue, Collection } from '../collection/declaration.ts';
import type { StoredRow } from '../plan/write-plan.ts';
import { ConfigError, type DatabaseSettings } from '../settings/by-command.ts';
import type { Engine } from './engine.ts';
import type { PostgresEngine } from './postgres/engine.ts';
import { isLoss, describe as postgresWords, sqlState } from './postgres/errors.ts';
import { isPostgresUrl } from './postgres/url.ts';
import type { DescribedDatabase } from './shared/describe-table.ts';
import type { Creation } from './shared/loader.ts';
import type { Maintenance } from './shared/maintenance.ts';
import { filesOf, IN_MEMORY } from './sqlite/connection/database-files.ts';
import { describe as sqliteWords } from './sqlite/errors.ts';
import type { ForeignRows } from './sqlite/foreign/rows.ts';
import type { Storable } from './sqlite/schema/text-types.ts';

/** Loaded on demand: a process loads only the engine it uses. */
const postgres = () => require('./postgres/engine.ts') as typeof import('./postgres/engine.ts');
const sqlite = () => require('./sqlite/engine.ts') as typeof import('./sqlite/engine.ts');
const newFile = () => require('./sqlite/file/new-file.ts') as typeof import('./sqlite/file/new-file.ts');
const postgresCare = () => require('./postgres/maintenance.ts') as typeof import('./postgres/maintenance.ts');
const sqliteCare = () => require('./sqlite/file/maintenance.ts') as typeof import('./sqlite/file/maintenance.ts');

/** Loads the engine of a database, for `openEngine`, in less time than `require` needs. */
export async function loadEngine(url: string): Promise<void> {
  await (isPostgresUrl(url) ? import('./postgres/engine.ts') : import('./sqlite/engine.ts'));
}

export interface OpenOptions extends DatabaseSettings {
  readonly catalogue: Catalogue;
  readonly firstRows: (collection: Collection) => readonly StoredRow[];
  /** Permitted data loss of a migration, in the syntax of `catalogue migrate --allow`. */
  readonly allowed?: readonly string[];
  /** Whether `catalogue migrate` runs: then a database of another program also gets the tables of the service. */
  readonly isMigration?: boolean;
  /** Whether a service runs: it starts background work. */
  readonly serves?: boolean;
  /** Whether to reject a database that holds keys or users. */
  readonly rejectsCredentials?: boolean;
  /** Whether every request runs as a role of the database. */
  readonly databaseRoles?: boolean;
  readonly creation?: Creation;
  /** Reports events such as a lost or recovered server to the log. */
  readonly notice?: (level: 'info' | 'warn', message: string) => void;
}

export class NoDatabase extends ConfigError {
  constructor(path: string) {
    super(`database ${path} does not exist`);
  }
}

export function openEngine(url: string, options: OpenOptions): Engine {
  const { catalogue, firstRows, creation, idempotencyHours: retryHours } = options;
  if (isPostgresUrl(url)) return postgres().openPostgres({ url, retryHours, ...options });
  if (options.databaseRoles === true) throw new ConfigError('--database-roles needs PostgreSQL');
  const { functions = [], collections } = catalogue.draft;
  const [called] = [...functions, ...collections.flatMap(({ computed = [] }) => computed)];
  // A command such as copy needs no functions.
  if (options.serves === true && called !== undefined) {
    throw new ConfigError(`functions need PostgreSQL, and ${called.name} is one; on SQLite declare queries`);
  }
  if (options.replicas.length > 0) throw new ConfigError('only PostgreSQL has replicas to read from');
  const path = sqlitePath(url);
  const isMissing = path !== IN_MEMORY && !existsSync(path);
  if (creation === 'never' && isMissing) throw new NoDatabase(path);
  // Invalid initial rows are reported before a file is created.
  if (isMissing) for (const collection of catalogue.collections.values()) firstRows(collection);
  const isLoaded = (creation === 'by a load' || creation === 'dry run') && isMissing;
  const isMigrated = isMissing || !(creation === 'never' || creation === 'dry run');
  const open = isLoaded ? newFile().openNewFile : sqlite().openSqlite;
  try {
    return open({ ...options, path, retryHours, isMigrated });
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`the database ${path} cannot be opened: ${reason(error, path)}`);
  }
}

export function maintenanceOf(url: string, catalogue: Catalogue, settings: DatabaseSettings): Maintenance {
  if (isPostgresUrl(url)) return new (postgresCare().PostgresMaintenance)(url, catalogue, settings);
  return new (sqliteCare().SqliteMaintenance)(sqlitePath(url), catalogue);
}

/** Engines for the schemas of a database that decides about permissions itself. */
export type SchemaEngines = Pick<
  PostgresEngine,
  'describeSchema' | 'database' | 'forSchema' | 'databaseSettings' | 'missingNames'
>;

/** The engines of the schemas share the connections of this one. */
export function schemaEngines(engine: Engine): SchemaEngines {
  return engine as PostgresEngine;
}

export async function describeDatabase(url: string, settings: DatabaseSettings): Promise<DescribedDatabase> {
  if (isPostgresUrl(url)) return (await import('./postgres/adopt/describe.ts')).describePostgres(url, settings);
  return (await import('./sqlite/foreign/describe.ts')).describeSqlite(sqlitePath(url));
}

/** The rows of a foreign SQLite file by collection; undefined for any other database. */
export async function foreignRows(url: string): Promise<ForeignRows | undefined> {
  if (isPostgresUrl(url)) return undefined;
  return (await import('./sqlite/foreign/rows.ts')).foreignRows(sqlitePath(url));
}

/** The catalogue as a new database can store it. */
export async function storableCatalogue(url: string, catalogue: Catalogue): Promise<Storable> {
  if (isPostgresUrl(url)) return { catalogue, notes: [] };
  return (await import('./sqlite/schema/text-types.ts')).withTextTypes(catalogue);
}

/** Throws unless the service can back it up. */
export function checkBackedUp(url: string): void {
  if (isInMemory(url)) throw new ConfigError(say`--backup-every needs a file: a catalogue in memory has none`);
  if (!isPostgresUrl(url)) return;
  throw new ConfigError(
    say`--backup-every is for SQLite. Leave it out, and back up PostgreSQL with its own tools: pg_basebackup with continuous archiving, or pg_dump`,
  );
}

/** Throws unless several processes can open it. */
export function checkShareable(url: string): void {
  if (!isInMemory(url)) return;
  throw new ConfigError(
    'a catalogue in memory belongs to one process: give it a file, or start it without --workers and --edit-declaration',
  );
}

/** Whether even the cheapest read is answered in a later turn of the event loop, when a server has responded. */
export const answersLate = isPostgresUrl;

export function isInMemory(url: string): boolean {
  return !isPostgresUrl(url) && sqlitePath(url) === IN_MEMORY;
}

/** The database's files, which must not be overwritten; none if a server owns them. */
export function databaseFiles(url: string): readonly string[] {
  return isPostgresUrl(url) ? [] : filesOf(sqlitePath(url));
}

export function sqlitePath(url: string): string {
  const path = url.replace(/^sqlite:(\/\/(?=\/))?/i, '');
  if (path === '') throw new ConfigError('the database URL has no path. Use sqlite:PATH');
  if (path === IN_MEMORY || path !== url) return path;
  // Not repeated, since it may contain a password.
  if (/^[a-z][a-z0-9+.-]+:|:[^/]*@/i.test(path)) {
    throw new ConfigError(
      'unknown kind of database URL. Use sqlite:PATH, :memory: or postgres://user:password@host/name',
    );
  }
  return path;
}

function reason(error: unknown, path: string): string {
  const folder = dirname(path);
  if (!existsSync(folder)) return `folder ${folder} does not exist; make it, or name another database with --database`;
  return startupError(error) ?? (error instanceof Error ? error.message : String(error));
}

/** One sentence; undefined for an unexpected error, which needs a stack. */
export function startupError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', syscall, path, message } = error as NodeJS.ErrnoException;
  if (code.startsWith('SQLITE_')) return sqliteWords({ code, message });
  if (sqlState(error) !== undefined || isLoss(error)) return postgresWords(error);
  if (syscall === undefined) return undefined;
  const words = String(fileProblem(error));
  return path === undefined || words === message ? words : `${path}: ${words}`;
}
