/**
 * Stores files: their bytes in a storage, their rows in the database. The bytes come first, and the row of the file
 * last, so that no file lacks its bytes. An interrupted upload leaves an orphan.
 */
import { ApiError } from '../base/errors.ts';
import type { Catalogue } from '../collection/declaration.ts';
import type { Engine, MaybePromise, Write, WriteOptions, WriteResult } from '../engine/engine.ts';
import { planWholeRow } from '../plan/read/read.ts';
import type { Predicate } from '../plan/types.ts';
import { andThen } from '../response/request-context.ts';
import { Quota } from './quota.ts';
import { FileRecords } from './records.ts';
import { DatabaseStorage } from './storage/database.ts';
import { type Content, inParts, type Storage } from './storage/storage.ts';

/** A row of the collection of files. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly media_type: string;
  readonly size: number;
  readonly sha256: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly placeholder: string | null;
  readonly created_at: string;
  readonly created_by: string | null;
  /** The identity of the uploader; null for an anonymous one, and for files of older versions. */
  readonly owner: string | null;
  readonly content: string;
  /** When no row was found to refer to it. */
  readonly orphaned_at: string | null;
}

export type NewFile = Omit<StoredFile, 'content' | 'orphaned_at'>;

export interface AddedFiles {
  readonly files: readonly NewFile[];
  readonly position: string | undefined;
  /** Whether the first attempt of a retried request stored them. */
  readonly replayed: boolean;
}

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MAX_ATTEMPTS = 5;
/** The content of another upload appeared or disappeared. */
const CONFLICTS: readonly string[] = ['23503', '23505'];

export class FileStore extends FileRecords {
  readonly quota = new Quota(this);
  private readonly openStorage: () => MaybePromise<Storage>;

  /** `open`: by default the database is the storage. */
  constructor(engine: Engine, catalogue: Catalogue, open?: () => MaybePromise<Storage>) {
    super(engine, catalogue);
    const database = new DatabaseStorage(this);
    this.openStorage = open ?? (() => database);
  }

  get storage(): MaybePromise<Storage> {
    return andThen(this.openStorage(), (storage) => storage.check?.().then(() => storage) ?? storage);
  }

  /** The files with their contents, whoever may read them. */
  async find(ids: readonly string[], mayLag = false): Promise<readonly StoredFile[]> {
    return ids.length === 0 ? [] : this.rows(this.query(this.files, `id=in.(${ids.join()})`), mayLag);
  }

  /**
   * Keeps files that a row is about to refer to from being removed as orphans. Resolves to those that still exist. No
   * constraint protects the files of a list.
   */
  async retain(files: readonly StoredFile[]): Promise<readonly StoredFile[]> {
    const ids = files.filter((file) => file.orphaned_at !== null).map(({ id }) => id);
    if (ids.length === 0) return files;
    await this.execute([this.mark(this.where(this.files, `id=in.(${ids.join()})`), null)]);
    return this.find(files.map(({ id }) => id));
  }

  /** Sets the time since when files are orphans. */
  mark(where: Predicate, value: string | null): Write {
    return this.change(this.files, where, { orphaned_at: value });
  }

  /** The bytes from `start` to `end`, exclusively. */
  async open(content: Content, start: number, end: number): Promise<Blob | AsyncIterable<Uint8Array>> {
    return (await this.storage).get(content, start, end);
  }

  bytes(content: Content, start: number, end: number): AsyncGenerator<Uint8Array> {
    return inParts(this.open(content, start, end));
  }

  /**
   * Stores the files in one transaction, followed by further writes. If the first attempt of a retried request stored
   * them, resolves to its files.
   */
  async add(
    files: readonly UploadedFile[],
    following: readonly Write[] = [],
    options?: Partial<WriteOptions>,
  ): Promise<AddedFiles> {
    const stored = files.map(({ file, upload }) => ({
      upload,
      sha256: file.sha256,
      row: (content: string) => this.insertion(this.files, { ...file, content }),
    }));
    const results = await this.commit(stored, following, options);
    const { position, replayed = false } = results[0]!;
    if (!replayed) return { files: files.map(({ file }) => file), position, replayed };
    const ids = results.flatMap(({ key = [] }) => key).filter((key) => UUID.test(key));
    const first = (await this.find(ids)).toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
    if (first.length === files.length) return { files: first, position, replayed };
    throw new ApiError('CAT404', 'the files of the first request with this Idempotency-Key do not exist any more');
  }

  /** Stores a resized image as a variant of a content. Another request may store the same one. */
  async addVariant(of: string, form: string, sha256: string, upload: Upload): Promise<void> {
    const row = (variant: string) => this.insertion(this.variants, { content: of, form, variant });
    await this.commit([{ upload, sha256, row }]);
  }

  /** The variant of a content, if it is stored. */
  async variant(content: string, form: string): Promise<Content | undefined> {
    const [row] = await this.rows<{ variant: string }>(planWholeRow(this.variants, [content, form]), true);
    if (row === undefined) return undefined;
    const variant = planWholeRow(this.contents, [row.variant]);
    return (await this.eventually<Content>((mayLag) => this.rows(variant, mayLag)))[0];
  }

  /** Each upload takes the content with the same bytes if one exists, or else its own. */
  private async commit(
    uploads: readonly { upload: Upload; sha256: string; row: (content: string) => Write }[],
    following: readonly Write[] = [],
    options?: Partial<WriteOptions>,
  ): Promise<readonly WriteResult[]> {
    for (let attempt = 1; ; attempt++) {
      const contents = new Map<string, string>();
      const writes: Write[] = [];
      for (const { upload, sha256, row } of uploads) {
        const known = contents.get(sha256) ?? (await this.contentOf(sha256));
        if (known === undefined) writes.push(...(await upload.completion(sha256)));
        contents.set(sha256, known ?? upload.content);
        writes.push(row(known ?? upload.content));
      }
      try {
        const results = await this.execute([...writes, ...following], options);
        const isUsed = (content: string, sha256: string) => !results[0]!.replayed && contents.get(sha256) === content;
        const unused = uploads.filter(({ upload, sha256 }) => !isUsed(upload.content, sha256));
        // The files are stored. If this fails, the bytes are orphans.
        for (const { upload } of unused) await upload.discard().catch(() => undefined);
        return results;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const isOwn = (error.request ?? 0) < writes.length;
        if (isOwn && CONFLICTS.includes(error.code) && attempt < MAX_ATTEMPTS) continue;
        // The client does not know the writes as a list.
        throw error.with({ request: undefined });
      }
    }
  }

  private async contentOf(sha256: string): Promise<string | undefined> {
    const [row] = await this.rows<{ id: string }>(this.query(this.contents, `sha256=eq.${sha256}&limit=1`));
    return row?.id;
  }
}

/** A received file: its row, and its bytes, which may be stored already. */
export interface UploadedFile {
  readonly file: NewFile;
  readonly upload: Upload;
}

export interface Upload {
  /** The id of the content. */
  readonly content: string;
  readonly size: number;
  /** Makes the bytes durable. The writes add the content. */
  completion(sha256: string): Promise<readonly Write[]>;
  /** Removes what is stored of the content. */
  discard(): Promise<void>;
}
