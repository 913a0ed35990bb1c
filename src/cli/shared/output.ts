/** The output of a command: standard output, a device, or a file that appears only when it is complete. */
import { closeSync, fchmodSync, openSync, rmSync, writeSync } from 'node:fs';
import {
  checkMayWrite,
  fileProblem,
  modeOf,
  moveIntoPlace,
  temporaryPath,
  type WriteOptions,
} from '../../base/files/output-file.ts';
import { ConfigError } from '../../settings/by-command.ts';

export interface Output {
  write(part: string | Uint8Array): void;
  end(): void;
  /** Removes the incomplete output. */
  discard(): void;
}

/** The reader of a pipe has closed it, e.g. head. */
export class PipeClosed extends Error {
  override readonly message = 'the reader closed the pipe';
}

export const STANDARD_OUTPUT = '-';
const STANDARD_OUTPUT_FILE = 1;

/** Checks the output before any work; throws a `ConfigError` if it must not be written. */
export function checkOutput(path: string, options: WriteOptions): void {
  if (path !== STANDARD_OUTPUT) checkMayWrite(path, options);
}

export function openOutput(path: string, options: WriteOptions): Output {
  if (path === STANDARD_OUTPUT) return { write: print, end() {}, discard() {} };
  return checkMayWrite(path, options) === 'device' ? openDevice(path) : openFile(path, options.replace);
}

/** Fails if only part of the text can be written; a closed pipe is not an error. */
export function printDocument(text: string): void {
  try {
    print(`${text}\n`);
  } catch (error) {
    if (!(error instanceof PipeClosed)) throw error;
  }
}

function print(part: string | Uint8Array): void {
  try {
    writeAll(STANDARD_OUTPUT_FILE, part);
  } catch (error) {
    throw error instanceof PipeClosed
      ? error
      : new ConfigError(`standard output cannot be written: ${fileProblem(error)}`);
  }
}

/** Writes to a named pipe or a terminal, in place. */
function openDevice(path: string): Output {
  const file = attempt(path, () => openSync(path, 'a'));
  const close = () => attempt(path, () => closeSync(file));
  return { write: (part) => attempt(path, () => writeAll(file, part)), end: close, discard: close };
}

function openFile(path: string, replace: boolean): Output {
  const partial = temporaryPath(path);
  // The umask applies to a new file. A file that is replaced keeps its permissions.
  const mode = modeOf(path);
  const file = attempt(path, () => openSync(partial, 'wx', mode));
  if (mode !== undefined) attempt(path, () => fchmodSync(file, mode));
  let isOpen = true;
  const close = () => {
    if (isOpen) closeSync(file);
    isOpen = false;
  };
  return {
    write: (part) => attempt(path, () => writeAll(file, part)),
    end: () =>
      attempt(path, () => {
        close();
        moveIntoPlace(partial, path, replace);
      }),
    discard: () => {
      close();
      rmSync(partial, { force: true });
    },
  };
}

/** A pipe accepts partial writes, and a non-blocking one may be full for a moment. */
function writeAll(file: number, part: string | Uint8Array): void {
  const bytes = typeof part === 'string' ? new TextEncoder().encode(part) : part;
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(file, bytes, done);
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === 'EPIPE') throw new PipeClosed();
      if (code !== 'EAGAIN') throw error;
      Bun.sleepSync(1);
    }
  }
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${path} cannot be written: ${fileProblem(error)}`);
  }
}
