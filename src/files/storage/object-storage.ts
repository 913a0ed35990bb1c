/** Stores the bytes of files in a folder, or in a bucket of S3 or a compatible service. */
import { type FileHandle, mkdir, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PRIVATE_MODE } from '../../base/files/output-file.ts';
import type { Write } from '../../engine/engine.ts';
import type { FileRecords } from '../records.ts';
import { IncomingRow } from './database.ts';
import {
  type Content,
  type Incoming,
  MARKER,
  type NamePage,
  nameOf,
  type ObjectStore,
  PRIVATE_FOLDER,
  type Storage,
  withStorage,
} from './storage.ts';

export class ObjectStorage implements Storage {
  check?: () => Promise<void>;
  readonly location: string;

  constructor(
    private readonly records: FileRecords,
    private readonly store: ObjectStore,
  ) {
    this.location = store.location;
  }

  /** Undefined if there is none. */
  readMarker(): Promise<string | undefined> {
    return this.store.text(MARKER);
  }

  async writeMarker(text: string): Promise<void> {
    const path = temporaryPath(this.store, crypto.randomUUID());
    await withStorage(this.location, async () => {
      await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
      await Bun.write(path, text);
    });
    await this.store.put(MARKER, path, text.length).finally(() => rm(path, { force: true }));
  }

  put(id: string): Incoming {
    return new Spool(this.records, this.store, id);
  }

  get(content: Content, start: number, end: number) {
    return this.store.get(nameOf(content), content.size, start, end);
  }

  delete(name: string): Promise<void> {
    return this.store.delete(name);
  }

  async list(after: string): Promise<NamePage> {
    const { objects, next } = await this.store.list(after);
    return { names: objects.map(({ name }) => name), next };
  }
}

function temporaryPath({ temporary = tmpdir() }: ObjectStore, id: string): string {
  return join(temporary, id);
}

/** Collects arriving bytes in a temporary file, until their SHA-256 and so their name are known. */
class Spool extends IncomingRow implements Incoming {
  private readonly path: string;
  private file: FileHandle | undefined;
  private isComplete = false;
  private isPlaced = false;

  constructor(
    records: FileRecords,
    private readonly store: ObjectStore,
    id: string,
  ) {
    super(records, id);
    this.path = temporaryPath(store, id);
  }

  write(chunk: Buffer): Promise<void> {
    return withStorage(this.store.location, async () => {
      this.file ??= await open(this.path, 'wx', PRIVATE_MODE);
      for (let at = 0; at < chunk.length; ) at += (await this.file.write(chunk, at)).bytesWritten;
    });
  }

  async whole(rest: Buffer): Promise<Buffer> {
    if (this.file === undefined) return rest;
    return Buffer.concat([await withStorage(this.store.location, () => readFile(this.path)), rest]);
  }

  async finish(content: Content, rest: Buffer): Promise<readonly Write[]> {
    if (!this.isComplete) await this.write(rest);
    this.isComplete = true;
    await this.close();
    if (!this.isPlaced) await this.store.put(nameOf(content), this.path, content.size);
    this.isPlaced = true;
    await this.removeFile();
    return [this.row(content)];
  }

  /** Placed bytes stay: the row may be committed, although its confirmation was lost. If not, they are an orphan. */
  override async discard(): Promise<void> {
    await this.removeFile();
    await super.discard();
  }

  private async removeFile(): Promise<void> {
    await this.close();
    await rm(this.path, { force: true });
  }

  private async close(): Promise<void> {
    const { file } = this;
    this.file = undefined;
    await file?.close().catch(() => undefined);
  }
}
