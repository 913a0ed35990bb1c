/**
 * Backups at /catalogue/backups, for callers with every right: those of the place, whether the newest is too old, and
 * the request to back up now.
 */
import { ApiError } from '../../base/errors.ts';
import { say, type Wording, withSentences } from '../../base/sentence.ts';
import { checkBackedUp } from '../../engine/open.ts';
import { type Audit, jsonAnswer, type ResourceRequest, type Resources } from '../../response/own-resources.ts';
import type { ServeSettings } from '../../settings/by-command.ts';
import { describeBackups, openPlace, reasonOf } from './stored-backups.ts';

type BackupSettings = Pick<ServeSettings, 'database' | 'backupSeconds' | 'backupTo' | 'backupFolder'>;

/** Resolves to the reason of a failure. */
export type BackUp = () => Promise<Wording | undefined>;

/** `backUp` is absent if the service makes no backups. */
export function backupResources(settings: BackupSettings, audit: Audit, backUp: BackUp | undefined): Resources {
  const list = async () => jsonAnswer(200, await stateOf(settings));
  const add = async ({ context }: ResourceRequest) => {
    if (backUp === undefined) {
      throw new ApiError('PGRST127', 'the service makes no backups', {
        hint: problemOf(settings) ?? 'Start it with --backup-every, or use catalogue backup.',
      });
    }
    audit('a backup was requested', { by: context.caller?.name });
    const reason = await backUp();
    if (reason !== undefined) throw new ApiError('CAT503', say`the backup failed: ${reason}`);
    return jsonAnswer(201, await stateOf(settings));
  };
  return { backups: { GET: list, HEAD: list, POST: add } };
}

async function stateOf(settings: BackupSettings) {
  const { backupSeconds, backupTo, backupFolder } = settings;
  const place = backupTo || backupFolder;
  const state = { place, interval_seconds: backupSeconds, last_backup_at: null, is_late: false, problem: null };
  const problem = problemOf(settings);
  if (problem !== undefined) return withSentences({ ...state, problem, backups: [] });
  try {
    const backups = await describeBackups(openPlace(place));
    const last_backup_at = backups.at(-1)?.time ?? null;
    // The first backup may take a while after the start.
    const age = Date.now() - (last_backup_at === null ? performance.timeOrigin : Date.parse(last_backup_at));
    return { ...state, last_backup_at, is_late: backupSeconds > 0 && age > 2000 * backupSeconds, backups };
  } catch (error) {
    // Without regular backups, the folder need not exist.
    const cause = backupSeconds === 0 && backupTo === '' ? null : say`${place} cannot be read: ${reasonOf(error)}`;
    return withSentences({ ...state, is_late: backupSeconds > 0, problem: cause, backups: [] });
  }
}

/** Why the service cannot make backups of this database. */
function problemOf({ database }: BackupSettings): Wording | undefined {
  try {
    checkBackedUp(database);
  } catch (error) {
    return reasonOf(error);
  }
  return undefined;
}
