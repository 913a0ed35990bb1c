/** Maintenance of a database: backup, restore, integrity check, migration plan. */
import { missingRoles, type RoleHolders, undeclaredRoles } from '../../collection/access/role-warnings.ts';
import { ConfigError } from '../../settings/setting.ts';
import type { FirstRows } from '../migration/question.ts';
import type { MigrationPlan } from '../migration/words.ts';
import type { IndexState } from '../search/verify-index.ts';

/** May throw a `ConfigError` that says what to do instead. */
export interface Maintenance {
  /** For messages; without secrets. */
  readonly location: string;
  /** The database's files, which must not be overwritten; none if a server owns them. */
  readonly files: readonly string[];
  /** Copies the database while it is in use. The file appears only when it is complete and verified. */
  backup(file: string, options: CopyOptions): Promise<BackupReport>;
  /** Verifies the backup and then replaces the data; a running service sees it at once. */
  restore(file: string, options: RestoreOptions): Promise<RestoreReport>;
  /**
   * Copies the log of changes after a mark to a new file. Returns the last entry. `same` without one, `other` if
   * the log does not continue after the mark. Then it writes no file.
   */
  copyLog(file: string, after: LogMark): Promise<LogMark | 'same' | 'other'>;
  /** Applies copies of the log to a backup, up to a moment. Returns the time of the last applied change. */
  replayLog(file: string, segments: readonly string[], until: Date): Promise<string | undefined>;
  /** The steps and obstacles of a migration to the declaration; changes nothing. */
  plan(options: MigrationOptions): Promise<MigrationPlan>;
  check(progress?: Progress): Promise<readonly Finding[]>;
}

export interface MigrationOptions {
  /** The initial rows of new collections. If absent, there are none, and the plan does not block the event loop. */
  readonly firstRows?: FirstRows;
  /** Permitted data loss, in the syntax of `catalogue migrate --allow`. */
  readonly allowed?: readonly string[];
  /** Whether the plan is for `catalogue migrate`. */
  readonly isMigration?: boolean;
}

/** Reports progress from time to time: bytes of a copy, steps of a check. */
export type Progress = (done: number, total: number) => void;

export interface CopyOptions {
  readonly replace: boolean;
  readonly progress?: Progress;
}

export interface RestoreOptions extends CopyOptions {
  /** Whether columns and tables of the backup that the database lacks may be dropped. */
  readonly dropColumns: boolean;
  /** Whether webhooks leave out the changes of the restore. */
  readonly withoutWebhooks: boolean;
}

/** An entry of the log of changes. The mark differs if the entry or the tables do. */
export interface LogMark {
  readonly seq: number;
  readonly mark: string;
  /** When it was logged, if that is known. */
  readonly at?: string;
}

interface CopyReport {
  /** In tables of declared collections. */
  readonly rows: number;
  readonly bytes: number;
  readonly undeclared: readonly string[];
}

export interface BackupReport extends CopyReport {
  /** The last entry of its log, if it has a log. */
  readonly last?: LogMark | undefined;
}

export interface RestoreReport extends CopyReport {
  /** Columns and tables of the backup that the database lacks. */
  readonly dropped: readonly string[];
  /** Columns that the backup lacks, which now have their defaults. */
  readonly lacking: readonly string[];
  /** Whether the database now has the keys and users of the backup. */
  readonly hasBackupCredentials: boolean;
  /** Where a damaged database was moved to. */
  readonly aside?: string;
}

export interface Finding {
  readonly collection?: string;
  readonly check: string;
  readonly ok: boolean;
  /** Worth attention, although the data is valid. */
  readonly isWarning?: boolean;
  readonly detail: string;
}

export function rejectCredentials(holders: RoleHolders): void {
  const problem = missingRoles(holders);
  if (problem !== undefined) throw new ConfigError(problem);
}

export function checkCredentialRoles(holders: RoleHolders, roles: ReadonlyMap<string, unknown>): Finding {
  const warning = undeclaredRoles(holders, roles);
  return { check: 'credentials', ok: true, isWarning: warning !== undefined, detail: warning ?? 'roles declared' };
}

export function finding(check: string, ok: boolean, detail: string): Finding {
  return { check, ok, detail };
}

/** The state of the index of a declared search; undefined if it does not exist. */
export function wordIndexFinding(state: IndexState | undefined): Finding {
  const check = 'declared search';
  if (state === undefined) return finding(check, true, 'no index; the service creates it at start');
  const { stale, wrong } = state;
  if (wrong > 0) return finding(check, false, `the index differs from ${wrong} rows`);
  return finding(check, true, `${stale} changed ${stale === 1 ? 'row' : 'rows'} not indexed yet`);
}
