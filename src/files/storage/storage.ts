/**
 * Where the bytes of files are. A content is stored once and never changed. Its name has its SHA-256 and its id, which
 * is never used again: a name that no row refers to can be deleted at any time, also while the same bytes arrive again.
 */
import { ApiError, type ApiErrorDetails } from '../../base/errors.ts';
import type { MaybePromise, Write } from '../../engine/engine.ts';

export interface Content {
  readonly id: string;
  /** In hexadecimal digits. */
  readonly sha256: string;
  readonly size: number;
}

export interface Storage {
  /** For messages; without secrets. */
  readonly location: string;
  /** Throws unless it belongs to the catalogue. Repeated until it succeeds. */
  check?: () => Promise<void>;
  /** Begins to store a content. */
  put(id: string): Incoming;
  /** The bytes from `start` to `end`, exclusively. */
  get(content: Content, start: number, end: number): MaybePromise<Blob | AsyncIterable<Uint8Array>>;
  /** Deletes stored bytes after their row. A missing name is ignored. */
  delete(name: string): Promise<void>;
  /** The next names after one, in their order. */
  list(after: string): Promise<NamePage>;
}

/** A folder, or a bucket of S3: where the bytes of files are outside of the database, and backups. */
export interface ObjectStore {
  readonly location: string;
  /** The folder for files that `put` takes. Any other folder, if the store is not on this machine. */
  readonly temporary?: string;
  /** Undefined if the object does not exist. */
  text(name: string): Promise<string | undefined>;
  /** Stores a complete file durably. The file may be moved. */
  put(name: string, path: string, size: number): Promise<void>;
  /** The bytes from `start` to `end`, exclusively; by default all. */
  get(name: string, size: number, start?: number, end?: number): MaybePromise<Blob | AsyncIterable<Uint8Array>>;
  /** A missing object is ignored. */
  delete(name: string): Promise<void>;
  /** The next objects after a name, in their order. */
  list(after: string): Promise<ObjectPage>;
}

export interface StoredObject {
  readonly name: string;
  readonly size: number;
  /** When it was stored. */
  readonly time: Date;
}

export interface ObjectPage {
  readonly objects: readonly StoredObject[];
  /** Where the next page begins; undefined after the last one. */
  readonly next: string | undefined;
}

/** The bytes that a storage returns, in parts. */
export async function* inParts(given: ReturnType<Storage['get']>): AsyncGenerator<Uint8Array> {
  const bytes = await given;
  yield* bytes instanceof Blob ? (bytes.stream() as AsyncIterable<Uint8Array>) : bytes;
}

export const PRIVATE_FOLDER = 0o700;

/** The bytes of a content while they arrive. */
export interface Incoming {
  /** Stores a whole chunk. The storage does not use its memory afterwards. */
  write(chunk: Buffer): Promise<void>;
  /** Stores the row of the content with a size that counts for the quota, before the content is finished. */
  reserve(size: number): Promise<void>;
  /** All bytes. `rest` are those after the last whole chunk. */
  whole(rest: Buffer): Promise<Buffer>;
  /** Makes the bytes durable. The writes add the content, and may be executed in a later attempt. */
  finish(content: Content, rest: Buffer): Promise<readonly Write[]>;
  /** Removes what is not needed any more. */
  discard(): Promise<void>;
}

export interface NamePage {
  readonly names: readonly string[];
  /** Where the next page begins; undefined after the last one. */
  readonly next: string | undefined;
}

/** The name of a content outside of the database. Few folders keep listings short. */
export function nameOf({ id, sha256 }: Omit<Content, 'size'>): string {
  return `${sha256.slice(0, 2)}/${sha256}.${id}`;
}

/** The id of the content that a name belongs to; undefined for a name of another program. */
export function idIn(name: string): string | undefined {
  return /^(?:[0-9a-f]{2}\/[0-9a-f]{64}\.|tmp\/)([0-9a-f-]{36})$/.exec(name)?.[1];
}

/** The name of the file that marks a storage. */
export const MARKER = 'catalogue-files';
const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Executes work on a storage. Failures concern requests for files only, and name no path of the server. */
export async function withStorage<T>(location: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const { code = '', message } = error as { readonly code?: string; readonly message: string };
    const cause = { reason: code, cause: `${location}: ${code} ${message}` };
    if (FULL.includes(code)) {
      throw new ApiError('CAT507', 'the file cannot be stored: the disk for files is full', {
        details: 'Nothing was changed; other requests go on.',
        hint: 'Make room on the disk that holds the files, then try again.',
        headers: { 'retry-after': '10' },
        ...cause,
      });
    }
    throw unavailable(cause);
  }
}

export function unavailable(cause: Pick<ApiErrorDetails, 'reason' | 'cause'>): ApiError {
  return new ApiError('CAT503', 'the storage of files is not available', {
    details: 'Nothing was changed; other requests go on.',
    hint: 'Try again in a moment.',
    headers: { 'retry-after': '10' },
    ...cause,
  });
}

/** The reason of an error. */
export const MISSING_BYTES = 'missing bytes';

export function missingBytes(cause: string): ApiError {
  return new ApiError('CAT503', 'the bytes of the file are missing or damaged', {
    reason: MISSING_BYTES,
    hint: 'Whoever runs the service: catalogue check lists such files.',
    headers: { 'retry-after': '60' },
    cause,
  });
}
