/** The care of a database: copies of it, whether it is whole, and whether it is what is declared. */
import { type RoleHolders, undeclaredRoles } from '../collection/undeclared-roles.ts';
import type { FirstRows } from './migration/question.ts';
import type { MigrationPlan } from './migration/words.ts';

/** May throw a `ConfigError` that says what to do instead. */
export interface Maintenance {
  /** Where the data is, for people; without secrets. */
  readonly location: string;
  /** The files that it is in, which nothing else may be written to; none where a server keeps them. */
  readonly files: readonly string[];
  /** Copies the database, in use as it may be, to a file that appears when it is whole and verified. */
  backup(file: string, options: CopyOptions): Promise<BackupReport>;
  /** Verifies the copy, then makes the database what the copy is; a running service sees it at once. */
  restore(file: string, options: RestoreOptions): Promise<RestoreReport>;
  /** What a migration to the declaration would do, and what is in its way; changes nothing. */
  plan(terms: MigrationTerms): Promise<MigrationPlan>;
  /** Looks at everything, changes nothing. */
  check(progress?: Progress): Promise<readonly Finding[]>;
}

export interface MigrationTerms {
  /** What a new collection begins with. */
  readonly firstRows: FirstRows;
  /** What may be done on purpose, as `catalogue migrate --allow` takes it. */
  readonly allowed?: readonly string[];
}

/** Told now and then how far it is: bytes of a copy, steps of a check. */
export type Progress = (done: number, total: number) => void;

export interface CopyOptions {
  /** Whether what is there may be replaced. */
  readonly replace: boolean;
  readonly progress?: Progress;
}

export interface RestoreOptions extends CopyOptions {
  /** Whether columns and tables of the copy that the database has no place for may be left out. */
  readonly dropColumns: boolean;
}

export interface BackupReport {
  readonly rows: number;
  readonly bytes: number;
}

export interface RestoreReport extends BackupReport {
  /** Columns and tables of the copy that the database has no place for. */
  readonly dropped: readonly string[];
  /** Columns of the database that the copy lacks: they hold their defaults now. */
  readonly lacking: readonly string[];
  /** Where a damaged database is now. */
  readonly aside?: string;
}

export interface Finding {
  /** What it is about, where it is about one collection. */
  readonly collection?: string;
  /** What was looked at. */
  readonly check: string;
  readonly ok: boolean;
  /** Whether somebody should look at it, though nothing is wrong with the data. */
  readonly isWarning?: boolean;
  readonly detail: string;
}

/** Of the keys and users that are stored. */
export function credentialsFinding(holders: RoleHolders, roles: ReadonlyMap<string, unknown>): Finding {
  const warning = undeclaredRoles(holders, roles);
  return { check: 'credentials', ok: true, isWarning: warning !== undefined, detail: warning ?? 'of declared roles' };
}
