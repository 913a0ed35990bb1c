/** A command of the program: its flags, its help, the options of several commands, and its output. */

import { closeSync, fchmodSync, openSync, rmSync, writeSync } from 'node:fs';
import {
  checkMayWrite,
  fileProblem,
  modeOf,
  moveIntoPlace,
  temporaryPath,
  type WriteOptions,
} from '../../base/files/output-file.ts';
import { ConfigError, describeSettings, readCommand } from '../../settings/by-command.ts';
import type { Environment, Resolved } from '../../settings/resolve.ts';
import { option, type Table } from '../../settings/setting.ts';

// biome-ignore lint/suspicious/noConfusingVoidType: most commands return nothing, which means exit code 0.
type ExitCode = Promise<number | void>;

export interface Command {
  readonly help: () => string;
  /** Resolves to the exit code, 0 if undefined. A `ConfigError` prints one sentence and exits with 1. */
  readonly run: (args: readonly string[], env: Environment) => ExitCode;
}

interface CommandParts<T extends Table> {
  readonly options: T;
  /** The number of arguments that are not flags. */
  readonly operands?: number;
  readonly usage: string;
  readonly run: (given: Resolved<T>) => ExitCode;
}

export function defineCommand<T extends Table>({ options, operands = 0, usage, run }: CommandParts<T>): Command {
  return {
    help: () => `${usage}\n\n${describeSettings(options)}`,
    run: async (args, env) => run(readCommand(options, args, env, operands)),
  };
}

export const JSON_OPTION = { json: option('--json: print the result as JSON') } as const;
export const FORCE_OPTION = { force: option('--force: replace existing files or rows') } as const;

export function printResult(isJson: boolean, result: object, ...words: readonly string[]): void {
  for (const line of isJson ? [JSON.stringify({ ok: true, ...result })] : words) console.log(line);
}

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
