/** Stores bytes in a folder of this machine, or one that several machines share. */
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { FileRecords } from '../records.ts';
import { Spool, type SpoolTarget } from './spool.ts';
import {
  type Content,
  type Incoming,
  MARKER,
  type MarkedStorage,
  missingBytes,
  type NamePage,
  nameOf,
  withStorage,
} from './storage.ts';

const PRIVATE_FOLDER = 0o700;
const TEMPORARY = 'tmp';

export class FolderStorage implements MarkedStorage, SpoolTarget {
  check?: () => Promise<void>;
  readonly location: string;
  readonly temporary: string;
  private readonly marker: string;

  constructor(
    private readonly records: FileRecords,
    folder: string,
  ) {
    this.location = resolve(folder);
    this.temporary = join(this.location, TEMPORARY);
    this.marker = join(this.location, MARKER);
  }

  readMarker(): Promise<string | undefined> {
    return withStorage(this.location, () => readFile(this.marker, 'utf8').catch(unlessMissing));
  }

  writeMarker(text: string): Promise<void> {
    return withStorage(this.location, async () => {
      await mkdir(this.temporary, { recursive: true, mode: PRIVATE_FOLDER });
      const path = join(this.temporary, crypto.randomUUID());
      await Bun.write(path, text);
      await this.move(path, this.marker);
    });
  }

  put(id: string): Incoming {
    return new Spool(this.records, this, id);
  }

  /** Without its marker it is a different folder, such as the mount point of a disk that is gone. */
  async place(content: Content, path: string): Promise<void> {
    await stat(this.marker);
    await this.move(path, this.pathOf(content));
  }

  async get(content: Content, start: number, end: number): Promise<Blob> {
    const path = this.pathOf(content);
    const size = await withStorage(this.location, async () => {
      const found = await stat(path).catch(unlessMissing);
      if (found === undefined) await stat(this.marker);
      return found?.size;
    });
    if (size !== content.size)
      throw missingBytes(`${path} has ${size ?? 'no'} bytes, and ${content.size} are expected`);
    return start === 0 && end === size ? Bun.file(path) : Bun.file(path).slice(start, end);
  }

  delete(name: string): Promise<void> {
    return withStorage(this.location, () => rm(join(this.location, name), { force: true }));
  }

  /** A page is the content of one folder. */
  list(after: string): Promise<NamePage> {
    return withStorage(this.location, async () => {
      const folders = (await readdir(this.location, { withFileTypes: true })).filter((each) => each.isDirectory());
      const [folder, next] = folders
        .map((each) => each.name)
        .filter((each) => each > after)
        .sort();
      if (folder === undefined) return { names: [], next: undefined };
      const names = (await readdir(join(this.location, folder))).map((name) => `${folder}/${name}`);
      return { names, next: next === undefined ? undefined : folder };
    });
  }

  private pathOf(content: Content): string {
    return join(this.location, nameOf(content));
  }

  /** Durable: the bytes reach the disk before the name, and the name before the row. */
  private async move(from: string, to: string): Promise<void> {
    await sync(from);
    const folder = dirname(to);
    if (await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER })) await sync(dirname(folder));
    await rename(from, to);
    await sync(folder);
  }
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

function unlessMissing(error: { readonly code?: string }): undefined {
  if (error.code !== 'ENOENT') throw error;
}
