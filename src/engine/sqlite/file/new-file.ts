/**
 * A database in a file that does not exist yet. Until a load has stored its rows it has a temporary name, so that a
 * rejected load, a dry run or a kill leaves no half-made catalogue.
 */
import { existsSync, rmSync, statSync } from 'node:fs';
import { listTemporaryFiles, moveIntoPlace, temporaryPath } from '../../../base/files/output-file.ts';
import { ConfigError } from '../../../settings/setting.ts';
import type { Engine } from '../../engine.ts';
import { filesOf } from '../connection/database-files.ts';
import { openSqlite, type SqliteOptions } from '../engine.ts';
import { isInUse } from './backup.ts';

export function openNewFile(options: SqliteOptions): Engine {
  const { path } = options;
  for (const temporaryFile of listTemporaryFiles(path)) if (isLeftBehind(temporaryFile)) removeFiles(temporaryFile);
  const partial = temporaryPath(path);
  const remove = () => removeFiles(partial);
  let isStored = false;
  try {
    return openSqlite({
      ...options,
      path: partial,
      location: path,
      onLoad: ({ dryRun }) => {
        isStored = !dryRun;
      },
      // Closing the last connection moves the log into the file.
      onClose: () => {
        try {
          if (isStored) giveName(partial, path);
        } finally {
          remove();
        }
      },
    });
  } catch (error) {
    // Its error would name the temporary file, and hide the cause.
    try {
      remove();
    } catch {}
    throw error;
  }
}

function removeFiles(path: string): void {
  for (const file of filesOf(path)) rmSync(file, { force: true });
}

/** A file that is being created is unlocked at moments. To ask then whether it is in use would disturb its process. */
const MAKING_MS = 60_000;

/** Whether it is the leftover of a killed load. */
function isLeftBehind(partial: string): boolean {
  try {
    return statSync(partial).mtimeMs < Date.now() - MAKING_MS && !isInUse(partial);
  } catch {
    // A file that cannot be inspected is left alone.
    return false;
  }
}

function giveName(partial: string, path: string): void {
  if (existsSync(`${partial}-wal`)) throw new ConfigError(`${path} cannot be written whole; nothing was stored`);
  moveIntoPlace(partial, path, false);
}
