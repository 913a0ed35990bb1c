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
import { unlessThrown } from '../errors.ts';
import { type Sentence, say, type Wording } from '../sentence.ts';

export interface WriteOptions {
  /** Whether an existing file may be replaced. */
  readonly replace: boolean;
  /** Files that are never overwritten: the database files. */
  readonly protectedFiles: readonly string[];
}

/** The kind of file at a path. A device or pipe cannot be replaced. */
type TargetKind = 'absent' | 'file' | 'device';

/** Throws a `ConfigError` if the file must not be written. Changes nothing. */
export function checkMayWrite(file: string, { replace, protectedFiles }: WriteOptions): TargetKind {
  if (protectedFiles.some((each) => isSameFile(file, each))) {
    throw new ConfigError(`${file} belongs to the database itself; choose another name`);
  }
  const target = statOf(file);
  if (target?.isDirectory() === true) throw new ConfigError(`${file} is a folder`);
  if (target !== undefined && !target.isFile()) return 'device';
  // A dangling link counts as an existing file.
  if (target === undefined && lstatSync(file, { throwIfNoEntry: false }) === undefined) {
    checkFolder(file);
    return 'absent';
  }
  if (!replace) throw new ConfigError(`${file} already exists; --force replaces it`);
  return 'file';
}

/** Throws if the folder does not exist. Missing permissions are reported by the write itself. */
export function checkFolder(file: string): void {
  const folder = dirname(file);
  if (unlessThrown(() => lstatSync(folder, { throwIfNoEntry: false }) === undefined) === true) {
    throw new ConfigError(`${file} cannot be written: folder ${folder} does not exist`);
  }
}

/** Whether two paths name the same file. Follows links. Works for files that do not exist yet. */
export function isSameFile(one: string, other: string): boolean {
  if (canonicalPath(one) === canonicalPath(other)) return true;
  const [statA, statB] = [statOf(one), statOf(other)];
  return statA !== undefined && statB !== undefined && statA.dev === statB.dev && statA.ino === statB.ino;
}

/** Databases and backups may hold password hashes: only the user who runs the service may read them. */
export const PRIVATE_MODE = 0o600;

/** Creates an empty file with mode 0600. Throws if the file exists. */
export function createPrivateFile(file: string): void {
  closeSync(openSync(file, 'wx', PRIVATE_MODE));
}

/** The permissions of a file; undefined if it does not exist. */
export function modeOf(file: string): number | undefined {
  const mode = statOf(file)?.mode;
  return mode === undefined ? undefined : mode & 0o777;
}

/** The temporary name of an incomplete file, in the same folder. */
export function temporaryPath(file: string): string {
  return `${file}.partial-${crypto.randomUUID().slice(0, 8)}`;
}

/** Leftover temporary files for this name. */
export function listTemporaryFiles(file: string): readonly string[] {
  const own = basename(file);
  const names = unlessThrown(() => readdirSync(dirname(file))) ?? [];
  return names.filter((name) => name !== own && finalPath(name) === own).map((name) => join(dirname(file), name));
}

/** The final name of a temporary file. */
export function finalPath(partial: string): string {
  return partial.replace(/\.partial-[\da-f]{8}$/, '');
}

/** Moves a complete file into place durably. Replaces the target of a link, not the link. */
export function moveIntoPlace(partial: string, file: string, replace: boolean): void {
  const target = replace && statOf(file) !== undefined ? realpathSync(file) : file;
  sync(partial);
  if (replace) renameSync(partial, target);
  else linkOrRename(partial, target);
  sync(dirname(target));
}

/** Creates a link, which fails if the file exists, unlike a rename. Not every file system supports links. */
function linkOrRename(partial: string, file: string): void {
  try {
    linkSync(partial, file);
    rmSync(partial);
  } catch (error) {
    if ((error as { code?: string }).code === 'EEXIST' || lstatSync(file, { throwIfNoEntry: false }) !== undefined) {
      throw new ConfigError(`another process created ${file}; it was not overwritten. Choose another name.`);
    }
    renameSync(partial, file);
  }
}

/** Calls fsync on a file or directory. */
function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Undefined also if the path cannot be inspected: the later write reports the error. */
function statOf(path: string): Stats | undefined {
  return unlessThrown(() => statSync(path, { throwIfNoEntry: false }));
}

function canonicalPath(path: string): string {
  return (
    unlessThrown(() => realpathSync(path)) ??
    join(unlessThrown(() => realpathSync(dirname(path))) ?? resolve(dirname(path)), basename(path))
  );
}

const WORDS: Readonly<Record<string, Sentence>> = {
  ENOENT: say`the file or folder does not exist`,
  EEXIST: say`another file has this name`,
  EACCES: say`this user may not use it`,
  EPERM: say`this user may not use it`,
  EISDIR: say`it is a folder, and not a file`,
  ENOTDIR: say`a part of its path is a file, and not a folder`,
  ENOSPC: say`the disk is full`,
  EROFS: say`the disk cannot be written to`,
  EMFILE: say`too many files are open`,
  ENAMETOOLONG: say`its name is too long`,
  ConnectionRefused: say`nothing answers at the address in S3_ENDPOINT`,
  ERR_S3_MISSING_CREDENTIALS: say`set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY to its keys`,
};

/** An unknown error keeps the system's message. */
export function fileProblem(error: unknown): Wording {
  const { code = '', message = String(error) } = error as { readonly code?: string; readonly message?: string };
  return WORDS[code] ?? message;
}
