/** The environment of a command for a new database of each system. */
import { newSchema, testServer } from '../engines/postgres.ts';
import type { Environment } from './process.ts';

export const DATABASES: readonly [system: string, environment: () => Environment][] = [
  ['SQLite', () => ({ DATABASE_URL: 'sqlite:catalogue.db' })],
  ['PostgreSQL', () => ({ DATABASE_URL: testServer.url, CATALOGUE_SCHEMA: newSchema() })],
];
