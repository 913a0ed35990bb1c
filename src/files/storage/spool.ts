/** Collects arriving bytes in a temporary file, until their SHA-256 and so their name are known. */

import { type FileHandle, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PRIVATE_MODE } from '../../base/files/output-file.ts';
import type { Write } from '../../engine/engine.ts';
import type { FileRecords } from '../records.ts';
import { IncomingRow } from './database.ts';
import { type Content, type Incoming, withStorage } from './storage.ts';

export interface SpoolTarget {
  readonly location: string;
  /** The folder of temporary files. */
  readonly temporary: string;
  /** Stores a complete temporary file durably under its final name. */
  place(content: Content, path: string): Promise<void>;
}

export class Spool extends IncomingRow implements Incoming {
  private readonly path: string;
  private file: FileHandle | undefined;
  private isComplete = false;
  private isPlaced = false;

  constructor(
    records: FileRecords,
    private readonly target: SpoolTarget,
    id: string,
  ) {
    super(records, id);
    this.path = join(target.temporary, id);
  }

  write(chunk: Buffer): Promise<void> {
    return withStorage(this.target.location, async () => {
      this.file ??= await open(this.path, 'wx', PRIVATE_MODE);
      for (let at = 0; at < chunk.length; ) at += (await this.file.write(chunk, at)).bytesWritten;
    });
  }

  async whole(rest: Buffer): Promise<Buffer> {
    if (this.file === undefined) return rest;
    return Buffer.concat([await withStorage(this.target.location, () => readFile(this.path)), rest]);
  }

  async finish(content: Content, rest: Buffer): Promise<readonly Write[]> {
    if (!this.isComplete) await this.write(rest);
    this.isComplete = true;
    await this.close();
    if (!this.isPlaced) await withStorage(this.target.location, () => this.target.place(content, this.path));
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
