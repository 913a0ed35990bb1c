/**
 * Ensures that a storage belongs to the catalogue. Both have the same random mark: the database in a row, the storage
 * in a small file. So a wrong bucket, or the empty mount point of a disk that is gone, is noticed before it is used.
 */
import { resolve } from 'node:path';
import { ApiError } from '../../base/errors.ts';
import { lazyAsync } from '../../base/memo.ts';
import { keyIs } from '../../plan/resolve.ts';
import { ConfigError } from '../../settings/setting.ts';
import type { FileRecords } from '../records.ts';
import { Bucket, isS3 } from './bucket.ts';
import { DatabaseStorage } from './database.ts';
import { Folder } from './folder.ts';
import { ObjectStorage } from './object-storage.ts';
import { MARKER, type Storage } from './storage.ts';

/** The row of the storage in use. Without one, the database is. */
interface StorageRow {
  readonly mark: string;
  readonly location: string;
}

/** A marked place for the files of a new catalogue, with its row. */
interface NewStorage {
  readonly storage: Storage;
  readonly row: StorageRow & { readonly name: string };
  /** Removes the mark, if the row could not be stored. */
  release(): Promise<void>;
}

/** The only key. */
const FILES_STORAGE = 'files';

export interface StorageOptions {
  /** Called if the storage is not available: requests for files fail until it is. */
  readonly warn?: (message: string) => void;
  /** By default, the environment has the keys, region and endpoint. */
  readonly s3?: Bun.S3Options;
}

/** Codes of errors that do not go away by themselves. */
const MISTAKES =
  /^(NoSuchBucket|AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch|ERR_S3_.*|EACCES|EPERM|ENOTDIR|EROFS)$/;

/** Opens the storage that the database names. A catalogue without files may begin with another storage. */
export async function openStorage(
  records: FileRecords,
  location: string,
  options: StorageOptions = {},
): Promise<Storage> {
  const known = await readRow(records);
  if (known === undefined && location === '') return new DatabaseStorage(records);
  const row = known ?? (await begin(records, location));
  const storage = storageAt(records, location === '' ? row.location : location, options);
  storage.check = lazyAsync(() => compareMarks(records, storage, row));
  await storage.check().catch((error) => {
    if (!(error instanceof ApiError)) throw error;
    const cause = String(error.cause);
    if (storage.location !== row.location) throw otherStorage(row.location, storage.location);
    if (MISTAKES.test(error.reason ?? ''))
      throw new ConfigError(`the files of this catalogue cannot be used: ${cause}`);
    options.warn?.(`${error.message}, and requests for files fail until it is: ${cause}`);
  });
  return storage;
}

/** Where the files are, if not in the database. */
export async function locationOf(records: FileRecords): Promise<string | undefined> {
  return (await readRow(records))?.location;
}

function storageAt(records: FileRecords, location: string, { s3 }: StorageOptions = {}): ObjectStorage {
  const store = isS3(location)
    ? new Bucket(location, s3)
    : new Folder(resolve(location), { temporary: 'tmp', marker: MARKER });
  return new ObjectStorage(records, store);
}

async function readRow(records: FileRecords): Promise<StorageRow | undefined> {
  return (await records.rows<StorageRow>(records.query(records.storages, '')))[0];
}

async function hasFiles(records: FileRecords): Promise<boolean> {
  return (await records.rows(records.query(records.contents, 'select=id&limit=1'))).length > 0;
}

/** Prepares a place for the files of a catalogue that is copied there. */
export async function newStorage(records: FileRecords, location: string): Promise<NewStorage> {
  const storage = storageAt(records, location);
  if ((await storage.readMarker()) !== undefined) throw otherCatalogue(storage.location);
  const row = { name: FILES_STORAGE, mark: crypto.randomUUID(), location: storage.location };
  await storage.writeMarker(row.mark);
  return { storage, row, release: () => storage.delete(MARKER) };
}

/** If several processes begin, the first wins. */
async function begin(records: FileRecords, location: string): Promise<StorageRow> {
  if (await hasFiles(records)) throw otherStorage('the database', location);
  const storage = storageAt(records, location);
  const row = { name: FILES_STORAGE, mark: crypto.randomUUID(), location: storage.location };
  try {
    await records.execute([records.insertion(records.storages, row)]);
    return row;
  } catch (error) {
    if (!(error instanceof ApiError && error.code === '23505')) throw error;
    return (await readRow(records))!;
  }
}

/** Throws if the storage is that of another catalogue. A new one gets the mark. */
async function compareMarks(records: FileRecords, storage: ObjectStorage, row: StorageRow): Promise<void> {
  const mark = await storage.readMarker();
  if (mark === undefined && !(await hasFiles(records))) await storage.writeMarker(row.mark);
  else if (mark === undefined || mark !== row.mark) {
    if (storage.location !== row.location) throw otherStorage(row.location, storage.location);
    throw new ConfigError(
      mark === undefined
        ? `${storage.location} does not have the files of this catalogue: catalogue-files is missing in it. Mount the disk, or restore the files`
        : otherCatalogue(storage.location).message,
    );
  }
  if (storage.location === row.location) return;
  // The same storage at another place.
  const { storages } = records;
  await records.execute([records.change(storages, keyIs(storages, [FILES_STORAGE]), { location: storage.location })]);
}

function otherCatalogue(location: string): ConfigError {
  return new ConfigError(`${location} has the files of another catalogue. Choose another place`);
}

function otherStorage(known: string, location: string): ConfigError {
  return new ConfigError(
    `the files of this catalogue are in ${known}, and --files names ${location}. Leave out --files, or move all files with catalogue copy --to-files ${location}`,
  );
}
