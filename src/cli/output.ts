/** Where a command's data goes: standard output, or a file that appears only when it is whole. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { ConfigError } from '../config.ts';

export interface Output {
  write(part: string | Uint8Array): void;
  /** Makes it final. */
  end(): void;
  /** Leaves nothing behind. */
  giveUp(): void;
}

/** The reader of a pipe has had enough, such as head. */
export class PipeClosed extends Error {}

export function openOutput(path: string): Output {
  if (path === '-') return { write: (part) => writeAll(1, part), end() {}, giveUp() {} };
  const partial = `${path}.partial`;
  const file = attempt(path, () => openSync(partial, 'w'));
  return {
    write: (part) => attempt(path, () => writeAll(file, part)),
    end: () =>
      attempt(path, () => {
        fsyncSync(file);
        closeSync(file);
        renameSync(partial, path);
      }),
    giveUp: () => {
      closeSync(file);
      rmSync(partial, { force: true });
    },
  };
}

/** A pipe takes a part at a time, and one that does not block may be full for a moment. */
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
    if (error instanceof PipeClosed) throw error;
    throw new ConfigError(`${path} cannot be written: ${(error as Error).message}`);
  }
}
