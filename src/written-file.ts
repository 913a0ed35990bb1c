/**
 * Files that commands write. A file that is there is replaced only where that was asked for, the files of a database never,
 * and a new file has its name only when it is whole: until then it has one that no other file has.
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
import { ConfigError } from './settings/setting.ts';

export interface WriteTerms {
  /** Whether a file that is there may be replaced. */
  readonly replace: boolean;
  /** Files that are not written to whatever else is said: those of the database. */
  readonly never: readonly string[];
}

/** What is at a path: nothing, a file, or a device or pipe, which takes what is written and cannot be replaced. */
export type Occupant = 'nothing' | 'file' | 'device';

/** Throws a `ConfigError` where the file must not be written. Touches nothing. */
export function checkMayWrite(file: string, { replace, never }: WriteTerms): Occupant {
  if (never.some((each) => isSameFile(file, each))) {
    throw new ConfigError(`${file} belongs to the database itself; choose another name`);
  }
  const found = statOf(file);
  if (found?.isDirectory() === true) throw new ConfigError(`${file} is a folder`);
  if (found !== undefined && !found.isFile()) return 'device';
  // A link that leads nowhere is a file that is there, too.
  if (found === undefined && lstatSync(file, { throwIfNoEntry: false }) === undefined) {
    checkFolder(file);
    return 'nothing';
  }
  if (!replace) throw new ConfigError(`${file} is there already; --force replaces it`);
  return 'file';
}

/** Throws where there is no folder to write a file to. One that may not be looked at is for whoever writes there. */
export function checkFolder(file: string): void {
  const folder = dirname(file);
  if (attempt(() => lstatSync(folder, { throwIfNoEntry: false }) === undefined) === true) {
    throw new ConfigError(`${file} cannot be written: there is no folder ${folder}`);
  }
}

/** Whether two names are names of one file, be it by a link of either kind, or would be if it were there. */
export function isSameFile(one: string, other: string): boolean {
  if (placeOf(one) === placeOf(other)) return true;
  const [found, sought] = [statOf(one), statOf(other)];
  return found !== undefined && sought !== undefined && found.dev === sought.dev && found.ino === sought.ino;
}

/** Files that hold the rows of a catalogue, and maybe password hashes: only the user who runs the service may read them. */
export const PRIVATE_MODE = 0o600;

/** Makes an empty file that only this user may read. Throws if there is one. */
export function makePrivate(file: string): void {
  closeSync(openSync(file, 'wx', PRIVATE_MODE));
}

/** A name for a file that is not whole yet, beside the name it will have. */
export function partialOf(file: string): string {
  return `${file}.partial-${crypto.randomUUID().slice(0, 8)}`;
}

/** Names of files beside it that were to have its name. */
export function partialsOf(file: string): readonly string[] {
  const beginning = `${basename(file)}.partial-`;
  const names = attempt(() => readdirSync(dirname(file))) ?? [];
  const isPartial = (name: string) => name.startsWith(beginning) && wholeOf(name) === basename(file);
  return names.filter(isPartial).map((name) => join(dirname(file), name));
}

/** The name that it will have. */
export function wholeOf(partial: string): string {
  return partial.replace(/\.partial-[\da-f]{8}$/, '');
}

/** Gives a whole file its name, on the disk, too. What a link leads to is replaced, and not the link. */
export function putInPlace(partial: string, file: string, replace: boolean): void {
  const target = replace && statOf(file) !== undefined ? realpathSync(file) : file;
  sync(partial);
  if (replace) renameSync(partial, target);
  else nameNew(partial, target);
  sync(dirname(target));
}

/** A second name is refused where the file was made meanwhile, and a rename is not; but not every file system has one. */
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

/** A file and its name are two things that must reach the disk. */
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

/** What cannot be looked at is as good as not there: whoever writes to it is told why not. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
