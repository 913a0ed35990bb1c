/**
 * Restores a backup. The rows of a file in use are replaced in one transaction, so a running service continues and sees
 * them at once. Only a damaged file that nobody uses is moved aside.
 */
import { existsSync, renameSync, statSync } from 'node:fs';
import { checkFolder, isSameFile, moveIntoPlace } from '../../../base/files/output-file.ts';
import { ConfigError } from '../../../settings/setting.ts';
import type { RestoreReport } from '../../shared/maintenance.ts';
import { COMPANIONS, filesOf } from '../connection/database-files.ts';
import { isDamage } from '../errors.ts';
import { roleHolders } from '../schema/own-tables.ts';
import { checkOwner } from '../schema/schema.ts';
import { copyDatabase, integrityProblems, isInUse, openExisting, type RestoreRequest, verifyCopy } from './backup.ts';
import { replaceRows } from './replace-rows.ts';

export function restoreDatabase(request: RestoreRequest): RestoreReport {
  const { path, file, catalogue, replace } = request;
  if (!existsSync(file)) throw new ConfigError(`backup ${file} does not exist`);
  if (filesOf(path).some((each) => isSameFile(file, each))) {
    throw new ConfigError(`${file} belongs to the database itself; restore from a backup`);
  }
  const report = verifyCopy(file, catalogue);
  const isThere = existsSync(path) && statSync(path).size > 0;
  if (isThere && !replace) throw new ConfigError(`${path} already exists; --force replaces all its rows`);
  if (isThere && !isDamaged(path)) return { ...report, ...replaceRows(request) };
  if (isThere && isInUse(path)) {
    throw new ConfigError(
      `${path} is damaged, and a process may be using it: stop the service and restore again. If nothing uses it, move it away, with the files ${COMPANIONS.join(', ')} beside it`,
    );
  }
  checkFolder(path);
  const aside = setAside(path);
  // Through SQLite, since a backup that a process has open may have rows in its log.
  using copy = openExisting(file);
  copyDatabase(copy, request.partial, () => moveIntoPlace(request.partial, path, false));
  const { keys, users } = roleHolders(copy);
  const hasBackupCredentials = keys.length + users.length > 0;
  return { ...report, dropped: [], lacking: [], hasBackupCredentials, ...(aside === undefined ? {} : { aside }) };
}

/** Throws if the file cannot be opened for other reasons than damage, and for another program's database. */
function isDamaged(path: string): boolean {
  if (statSync(path).isDirectory()) throw new ConfigError(`${path} is a folder`);
  try {
    using db = openExisting(path);
    checkOwner(db);
    return integrityProblems(db).length > 0;
  } catch (error) {
    if (isDamage(error)) return true;
    throw error;
  }
}

/** Keeps the existing files, even a log without its database: something may be recoverable. */
function setAside(path: string): string | undefined {
  const files = filesOf(path).filter((each) => existsSync(each));
  const [first] = files;
  if (first === undefined) return undefined;
  const [own] = filesOf(path);
  const name = `${own}.damaged-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  for (const each of files) renameSync(each, `${name}${each.slice(own!.length)}`);
  return `${name}${first.slice(own!.length)}`;
}
