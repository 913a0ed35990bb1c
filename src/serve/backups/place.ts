/** Where backups are kept: a folder, or a bucket of S3. */
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '../../base/errors.ts';
import { fileProblem, isSameFile, moveIntoPlace } from '../../base/files/output-file.ts';
import { Bucket, isS3 } from '../../files/storage/bucket.ts';
import { ConfigError } from '../../settings/setting.ts';

export interface StoredObject {
  readonly name: string;
  readonly size: number;
  /** When it was stored. */
  readonly time: Date;
}

export interface BackupPlace {
  readonly location: string;
  /** The folder for files that `put` moves. Absent if they can be anywhere. */
  readonly temporary?: string;
  /** Stores a complete file durably. The file may be moved. */
  put(name: string, path: string, size: number): Promise<void>;
  get(name: string, size: number): AsyncIterable<Uint8Array>;
  list(): Promise<readonly StoredObject[]>;
  delete(name: string): Promise<void>;
}

/** `inUse` are files that are never deleted: a database may be a former backup. */
export function openPlace(location: string, { create = false, inUse = [] as readonly string[] } = {}): BackupPlace {
  if (isS3(location)) return s3Place(location);
  const folder = location.replace(/^file:(\/\/(?=\/))?/, '');
  if (create) mkdirSync(folder, { recursive: true });
  return folderPlace(folder, inUse);
}

export function isPlace(text: string): boolean {
  return isS3(text) || text.startsWith('file:');
}

function folderPlace(folder: string, inUse: readonly string[]): BackupPlace {
  return {
    location: folder,
    temporary: folder,
    put: async (name, path) => moveIntoPlace(path, join(folder, name), true),
    get: (name) => Bun.file(join(folder, name)).stream(),
    list: async () =>
      readdirSync(folder, { withFileTypes: true })
        .filter((each) => each.isFile() && !inUse.some((file) => isSameFile(join(folder, each.name), file)))
        .map(({ name }) => {
          const { size, mtime } = statSync(join(folder, name));
          return { name, size, time: mtime };
        }),
    delete: async (name) => rmSync(join(folder, name), { force: true }),
  };
}

function s3Place(location: string): BackupPlace {
  const bucket = new Bucket(location);
  return {
    location,
    put: (name, path, size) => bucket.upload(name, path, size),
    get: (name, size) => bucket.parts(name, 0, size),
    list: async () => {
      const all: StoredObject[] = [];
      for (let after: string | undefined = ''; after !== undefined; ) {
        const page = await bucket.objects(after);
        all.push(...page.objects);
        after = page.next;
      }
      return all;
    },
    delete: (name) => bucket.delete(name),
  };
}

/** The reason of a failure as one sentence. */
export function reasonOf(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (error instanceof ApiError) return String(error.cause ?? error.message);
  return fileProblem(error);
}
