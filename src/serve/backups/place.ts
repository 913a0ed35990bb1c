/** Where backups are kept: a folder, or a bucket of S3. */
import { mkdirSync } from 'node:fs';
import { ApiError } from '../../base/errors.ts';
import { fileProblem } from '../../base/files/output-file.ts';
import { Bucket, isS3 } from '../../files/storage/bucket.ts';
import { Folder } from '../../files/storage/folder.ts';
import type { ObjectStore, StoredObject } from '../../files/storage/storage.ts';
import { ConfigError } from '../../settings/setting.ts';

/** `inUse` are files that are never deleted: a database may be a former backup. */
export function openPlace(location: string, { create = false, inUse = [] as readonly string[] } = {}): ObjectStore {
  if (isS3(location)) return new Bucket(location);
  const folder = location.replace(/^file:(\/\/(?=\/))?/, '');
  if (create) mkdirSync(folder, { recursive: true });
  return new Folder(folder, { inUse });
}

export function isPlace(text: string): boolean {
  return isS3(text) || text.startsWith('file:');
}

export async function objectsIn(place: ObjectStore): Promise<readonly StoredObject[]> {
  const all: StoredObject[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await place.list(after);
    all.push(...page.objects);
    after = page.next;
  }
  return all;
}

/** The reason of a failure as one sentence. */
export function reasonOf(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (!(error instanceof ApiError)) return fileProblem(error);
  return fileProblem({ code: error.reason, message: String(error.cause ?? error.message) });
}
