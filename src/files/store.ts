/**
 * Stores files in the database, with the same plans as other rows. A content and its chunks come first, and the row of
 * the file last, so that no file lacks its bytes. An interrupted upload leaves an orphan.
 */
import { ApiError } from '../base/errors.ts';
import { FILE_CHUNK_BYTES, FILE_TOTAL_MS } from '../base/limits/files.ts';
import type { Catalogue, Collection } from '../collection/declaration.ts';
import { CHUNKS, CONTENTS, FILES, VARIANTS } from '../collection/files.ts';
import { storeJson } from '../collection/types/type.ts';
import { pageOfQuery } from '../dialect/page.ts';
import { parseQuery } from '../dialect/query.ts';
import type { Encoding } from '../encode/encoding.ts';
import type { Engine, Write, WriteResult } from '../engine/engine.ts';
import { keyIs } from '../plan/keys.ts';
import { planRead } from '../plan/read/read.ts';
import { planWholeRow, WHOLE_ROW_JSON } from '../plan/read/whole-row.ts';
import type { Origin, Predicate, ReadPlan, WritePlan } from '../plan/types.ts';
import { readWhole } from '../response/body.ts';

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
  readonly content: string;
  /** When no row was found to refer to it. */
  readonly orphaned_at: string | null;
}

/** A row of the collection of contents. */
export interface StoredContent {
  readonly id: string;
  readonly size: number;
  readonly sha256: string;
}

export type NewFile = Omit<StoredFile, 'content' | 'orphaned_at'>;

const NOTHING: Encoding = { format: 'json', stripNulls: false, columns: [] };
const ONCE = { singular: false, mustExist: false } as const;
const MAX_ATTEMPTS = 5;
/** The content of another upload appeared or disappeared. */
const CONFLICTS: readonly string[] = ['23503', '23505'];

export class FileStore {
  readonly files: Collection;
  readonly contents: Collection;
  readonly variants: Collection;
  private readonly chunks: Collection;
  private total = { bytes: 0, until: 0 };

  constructor(
    readonly engine: Engine,
    { collections }: Catalogue,
  ) {
    this.files = collections.get(FILES)!;
    this.contents = collections.get(CONTENTS)!;
    this.chunks = collections.get(CHUNKS)!;
    this.variants = collections.get(VARIANTS)!;
  }

  /** The files with their contents, whoever may read them. */
  async find(ids: readonly string[]): Promise<readonly StoredFile[]> {
    return ids.length === 0 ? [] : this.rows(this.query(this.files, `id=in.(${ids.join()})`));
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
    const into = this.files;
    const field = into.byName.get('orphaned_at')!;
    return write({ kind: 'update', into, where, set: [{ field, value }], given: [field], ...ONCE });
  }

  async chunk(content: string, position: number): Promise<Buffer> {
    const [row] = await this.rows<{ data: string }>(planWholeRow(this.chunks, [content, position]));
    if (row === undefined) throw new Error(`chunk ${position} of content ${content} does not exist`);
    return Buffer.from(row.data, 'hex');
  }

  /** The bytes from `start` to `end`, exclusively. */
  async *bytes(content: string, start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end; ) {
      const position = Math.floor(at / FILE_CHUNK_BYTES);
      const first = position * FILE_CHUNK_BYTES;
      const chunk = await this.chunk(content, position);
      yield chunk.subarray(at - first, end - first);
      at = first + FILE_CHUNK_BYTES;
    }
  }

  beginContent(id: string): Write {
    return this.insertion(this.contents, { id, size: 0, created_at: new Date().toISOString() });
  }

  addChunk(content: string, position: number, data: Buffer): Write {
    return this.insertion(this.chunks, { content, position, data });
  }

  completeContent(id: string, sha256: string, size: number): Write {
    const into = this.contents;
    const given = into.fields.filter(({ name }) => name === 'sha256' || name === 'size');
    const set = given.map((field) => ({ field, value: field.name === 'size' ? size : sha256 }));
    return write({ kind: 'update', into, where: keyIs(into, [id]), set, given, affects: 1, ...ONCE });
  }

  async removeContent(id: string): Promise<void> {
    const into = this.contents;
    await this.execute([write({ kind: 'delete', into, where: keyIs(into, [id]), ...ONCE })]);
  }

  /** The bytes of all contents. Some seconds old, unless they could exceed the maximum. */
  async totalBytes(max: number): Promise<number> {
    if (performance.now() > this.total.until || this.total.bytes > max) {
      const [row] = await this.rows<{ sum: number | null }>(this.query(this.contents, 'select=size.sum()'));
      this.total = { bytes: row?.sum ?? 0, until: performance.now() + FILE_TOTAL_MS };
    }
    return this.total.bytes;
  }

  /** Stores the files in one transaction, followed by further writes, whose results it returns. */
  add(
    files: readonly UploadedFile[],
    following: readonly Write[] = [],
    origin?: Origin,
  ): Promise<readonly WriteResult[]> {
    const stored = files.map(({ file, upload }) => ({
      upload,
      sha256: file.sha256,
      row: (content: string) => this.insertion(this.files, { ...file, content }),
    }));
    return this.commit(stored, following, origin);
  }

  /** Stores a resized image as a variant of a content. Another request may store the same one. */
  async addVariant(of: string, form: string, sha256: string, upload: Upload): Promise<void> {
    const row = (variant: string) => this.insertion(this.variants, { content: of, form, variant });
    await this.commit([{ upload, sha256, row }]);
  }

  /** The variant of a content, if it is stored. */
  async variant(content: string, form: string): Promise<StoredContent | undefined> {
    const [row] = await this.rows<{ variant: string }>(planWholeRow(this.variants, [content, form]));
    if (row === undefined) return undefined;
    return (await this.rows<StoredContent>(planWholeRow(this.contents, [row.variant])))[0];
  }

  /** Each upload takes the content with the same bytes if one exists, or else its own. */
  private async commit(
    uploads: readonly { upload: Upload; sha256: string; row: (content: string) => Write }[],
    following: readonly Write[] = [],
    origin?: Origin,
  ): Promise<readonly WriteResult[]> {
    for (let attempt = 1; ; attempt++) {
      const contents = new Map<string, string>();
      const writes: Write[] = [];
      for (const { upload, sha256, row } of uploads) {
        const known = contents.get(sha256) ?? (await this.contentOf(sha256));
        if (known === undefined) writes.push(...upload.completion(sha256));
        contents.set(sha256, known ?? upload.content);
        writes.push(row(known ?? upload.content));
      }
      try {
        const results = await this.execute([...writes, ...following], origin);
        this.total.bytes += uploads.reduce((sum, { upload }) => sum + upload.size, 0);
        const unused = uploads.filter(({ upload, sha256 }) => contents.get(sha256) !== upload.content);
        for (const { upload } of unused) await upload.discard();
        return results.slice(writes.length);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const isOwn = (error.request ?? 0) < writes.length;
        if (isOwn && CONFLICTS.includes(error.code) && attempt < MAX_ATTEMPTS) continue;
        // The client does not know the writes as a list.
        throw error.with({ request: undefined });
      }
    }
  }

  async execute(writes: readonly Write[], origin?: Origin): Promise<readonly WriteResult[]> {
    return this.engine.write(writes, { dryRun: false, ...(origin === undefined ? {} : { origin }) });
  }

  async rows<Row>(plan: ReadPlan): Promise<readonly Row[]> {
    const { body } = await readWhole(await this.engine.read(plan, WHOLE_ROW_JSON));
    return JSON.parse(body) as readonly Row[];
  }

  query(collection: Collection, text: string): ReadPlan {
    const query = parseQuery(text);
    return planRead(collection, query, pageOfQuery(query), undefined);
  }

  where(collection: Collection, text: string): Predicate {
    return this.query(collection, text).where;
  }

  private async contentOf(sha256: string): Promise<string | undefined> {
    const [row] = await this.rows<{ id: string }>(this.query(this.contents, `sha256=eq.${sha256}&limit=1`));
    return row?.id;
  }

  private insertion(into: Collection, row: Readonly<Record<string, unknown>>): Write {
    const values = into.fields.map(({ name, type }) => storeJson(type, row[name] ?? null));
    return write({ kind: 'insert', into, rows: [values], given: into.fields, conflict: 'refuse', ...ONCE });
  }
}

export function write(plan: WritePlan): Write {
  return { plan, encoding: NOTHING };
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
  /** The writes that complete the content. */
  completion(sha256: string): readonly Write[];
  /** Removes what is stored of the content. */
  discard(): Promise<void>;
}
