/** A database URL becomes an engine. The one place that chooses between engines. */
import type { Collection } from '../collection/declaration.ts';
import type { Row } from '../collection/value.ts';
import { ConfigError } from '../config.ts';
import type { Engine } from './engine.ts';
import { IN_MEMORY, openSqlite } from './sqlite/index.ts';

export interface OpenOptions {
  readonly collection: Collection;
  readonly firstRows: readonly Row[];
  readonly retryHours: number;
  readonly querySeconds: number;
}

export function openEngine(url: string, options: OpenOptions): Engine {
  if (/^postgres(ql)?:/i.test(url)) {
    throw new ConfigError('PostgreSQL is not supported yet; use sqlite:PATH or :memory:');
  }
  const path = sqlitePath(url);
  try {
    return openSqlite({ path, ...options });
  } catch (error) {
    throw new ConfigError(`the database ${path} cannot be opened: ${reason(error)}`);
  }
}

function sqlitePath(url: string): string {
  const path = url.replace(/^sqlite:(\/\/(?=\/))?/i, '');
  if (path === IN_MEMORY) return IN_MEMORY;
  if (path === '') throw new ConfigError('the database URL names no file: write sqlite:PATH');
  if (/^[a-z][a-z0-9+.-]+:/i.test(path)) {
    throw new ConfigError(`the database URL ${url.split('@').at(-1)} is of no known kind; use sqlite:PATH or :memory:`);
  }
  return path;
}

function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message === 'file is not a database' ? 'the file is not an SQLite database' : message;
}
