/**
 * Writes output files of commands. An existing file is replaced only on request, database files never. A new file gets
 * its name only when it is complete; until then it has a temporary name.
 */
import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { ConfigError } from '../../settings/setting.ts';

export interface WriteTerms {
  /** Whether an existing file may be replaced. */
  readonly replace: boolean;
  /** Files that are never overwritten: those of the database. */
  readonly never: readonly string[];
}

/** The kind of file at a path. A device or pipe cannot be replaced. */
type ExistingFile = 'nothing' | 'file' | 'device';

/** Throws a `ConfigError` if the file must not be written. Changes nothing. */
export function checkMayWrite(file: string, { replace, never }: WriteTerms): ExistingFile {
  if (never.some((each) => isSameFile(file, each))) {
    throw new ConfigError(`${file} belongs to the database itself; choose another name`);
  }
  const found = statOf(file);
  if (found?.isDirectory() === true) throw new ConfigError(`${file} is a folder`);
  if (found !== undefined && !found.isFile()) return 'device';
  // A dangling link counts as an existing file.
  if (found === undefined && lstatSync(file, { throwIfNoEntry: false }) === undefined) {
    checkFolder(file);
    return 'nothing';
  }
  if (!replace) throw new ConfigError(`${file} already exists; --force replaces it`);
  return 'file';
}

/** Throws if the folder does not exist. Missing permissions are reported by the write itself. */
export function checkFolder(file: string): void {
  const folder = dirname(file);
  if (attempt(() => lstatSync(folder, { throwIfNoEntry: false }) === undefined) === true) {
    throw new ConfigError(`${file} cannot be written: folder ${folder} does not exist`);
  }
}

/** Whether two paths name the same file, also by links, and also if it does not exist yet. */
export function isSameFile(one: string, other: string): boolean {
  if (placeOf(one) === placeOf(other)) return true;
  const [found, sought] = [statOf(one), statOf(other)];
  return found !== undefined && sought !== undefined && found.dev === sought.dev && found.ino === sought.ino;
}

/** Databases and backups may hold password hashes: only the user who runs the service may read them. */
export const PRIVATE_MODE = 0o600;

/** Makes an empty file that only this user may read. Throws if there is one. */
export function makePrivate(file: string): void {
  closeSync(openSync(file, 'wx', PRIVATE_MODE));
}

/** The permissions of a file; undefined if it does not exist. */
export function modeOf(file: string): number | undefined {
  const mode = statOf(file)?.mode;
  return mode === undefined ? undefined : mode & 0o777;
}

/** The temporary name of an incomplete file, in the same folder. */
export function partialOf(file: string): string {
  return `${file}.partial-${crypto.randomUUID().slice(0, 8)}`;
}

/** Leftover temporary files for this name. */
export function partialsOf(file: string): readonly string[] {
  const own = basename(file);
  const names = attempt(() => readdirSync(dirname(file))) ?? [];
  return names.filter((name) => name !== own && wholeOf(name) === own).map((name) => join(dirname(file), name));
}

/** The final name of a temporary file. */
export function wholeOf(partial: string): string {
  return partial.replace(/\.partial-[\da-f]{8}$/, '');
}

/** Moves a complete file into place durably. Replaces the target of a link, not the link. */
export function moveIntoPlace(partial: string, file: string, replace: boolean): void {
  const target = replace && statOf(file) !== undefined ? realpathSync(file) : file;
  sync(partial);
  if (replace) renameSync(partial, target);
  else nameNew(partial, target);
  sync(dirname(target));
}

/** Creating a link fails if the file appeared meanwhile, unlike a rename; but not every file system supports it. */
function nameNew(partial: string, file: string): void {
  try {
    linkSync(partial, file);
    rmSync(partial);
  } catch (error) {
    if ((error as { code?: string }).code === 'EEXIST' || lstatSync(file, { throwIfNoEntry: false }) !== undefined) {
      throw new ConfigError(`${file} was made by another process meanwhile; it is left as it is`);
    }
    renameSync(partial, file);
  }
}

/** The file and its directory entry must both be synced. */
export function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function statOf(path: string): Stats | undefined {
  return attempt(() => statSync(path, { throwIfNoEntry: false }));
}

function placeOf(path: string): string {
  return (
    attempt(() => realpathSync(path)) ??
    join(attempt(() => realpathSync(dirname(path))) ?? resolve(dirname(path)), basename(path))
  );
}

/** Treats what cannot be inspected as absent: the write will report why. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
