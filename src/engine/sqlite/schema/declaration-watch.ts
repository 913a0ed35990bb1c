/**
 * Detects that another process migrated the file. If the tables no longer match this process's declaration, nothing is
 * read or written until it restarts with the new one.
 */
import { Database, SQLiteError } from 'bun:sqlite';
import { ApiError } from '../../../base/errors.ts';
import type { Catalogue } from '../../../collection/declaration.ts';
import { blockingChanges, type Change } from '../../migration/changes.ts';
import type { Connection } from '../connection/connection.ts';
import { differencesIn } from './migrate.ts';

export class DeclarationWatch {
  private version: number | undefined;
  private reason: string | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly catalogue: Catalogue,
  ) {}

  /** Why nothing may be read or written; undefined if the schema matches. */
  trouble(): string | undefined {
    const version = this.connection.number('pragma schema_version');
    if (version === this.version) return this.reason;
    try {
      this.reason = this.differences();
      this.version = version;
    } catch (error) {
      // Without a free file descriptor, the next read checks again.
      if (!(error instanceof SQLiteError && error.code?.startsWith('SQLITE_CANTOPEN'))) throw error;
    }
    return this.reason;
  }

  check(): void {
    const reason = this.trouble();
    if (reason === undefined) return;
    throw new ApiError('CAT503', 'the database is not available', {
      details: `${reason}.`,
      nothingChanged: true,
      hint: 'Start the service again with the declaration of the migration.',
      headers: { 'retry-after': '10' },
    });
  }

  /** Uses its own connection: it runs rarely, and defines functions that reads do not need. */
  private differences(): string | undefined {
    using db = new Database(this.connection.path, { readonly: true });
    const { changes } = blockingChanges(differencesIn(db, this.catalogue));
    if (changes.length === 0) return undefined;
    return `A migration changed the tables while the service ran: ${[...new Set(changes.map(effectOf))].join(', ')}`;
  }
}

/** The effect of a changed declaration on a service that still has the earlier one. */
function effectOf(change: Change): string {
  const { name } = change.collection;
  switch (change.kind) {
    case 'change-key':
      return `${name} has another key`;
    case 'change-type':
      return `${name}.${change.field.name} has another type`;
    case 'add-field':
    case 'rename-field':
      return `${name}.${change.field.name} is missing`;
    default:
      return `${name} is missing`;
  }
}
