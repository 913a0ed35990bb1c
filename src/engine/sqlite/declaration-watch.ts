/**
 * Another process may migrate the file while this one serves it. Where the tables are no longer what this one declares, values would
 * be read and stored as something else: nothing is, until it is started with the other declaration.
 */
import { Database, SQLiteError } from 'bun:sqlite';
import type { Catalogue } from '../../collection/declaration.ts';
import { Refusal } from '../../errors.ts';
import { unservable } from '../migration/changes.ts';
import { stepsOf } from '../migration/words.ts';
import type { Connection } from './connection.ts';
import { differencesIn } from './migrate.ts';

/** Changes with every change of a table. */
const SCHEMA_VERSION = { sql: 'pragma schema_version', params: [] };

export class DeclarationWatch {
  private version: number | undefined;
  private reason: string | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly catalogue: Catalogue,
  ) {}

  /** Why nothing may be read or written; undefined where all is as declared. */
  trouble(): string | undefined {
    const version = this.connection.number(SCHEMA_VERSION);
    if (version === this.version) return this.reason;
    try {
      this.reason = this.differences();
      this.version = version;
    } catch (error) {
      // Without a file descriptor to spare, it is looked at again by the next read.
      if (!(error instanceof SQLiteError && error.code?.startsWith('SQLITE_CANTOPEN'))) throw error;
    }
    return this.reason;
  }

  check(): void {
    const reason = this.trouble();
    if (reason === undefined) return;
    throw new Refusal('CAT503', 'the database is not available', {
      details: `${reason}. Nothing was changed.`,
      hint: 'Start the service again with the declaration that the database was migrated to.',
      headers: { 'retry-after': '10' },
    });
  }

  /** On a connection of its own: it is rarely asked for, and defines functions that reads do not need. */
  private differences(): string | undefined {
    const db = new Database(this.connection.path, { readonly: true });
    try {
      const steps = stepsOf(unservable(differencesIn(db, this.catalogue)));
      return steps.length === 0 ? undefined : `It was migrated to another declaration (${steps.join(', ')})`;
    } finally {
      db.close();
    }
  }
}
