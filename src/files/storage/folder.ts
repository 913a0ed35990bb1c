/** Objects in a folder of this machine, or one that several machines share. */
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isSameFile } from '../../base/files/output-file.ts';
import { missingBytes, type ObjectPage, type ObjectStore, PRIVATE_FOLDER, withStorage } from './storage.ts';

interface FolderOptions {
  /** The folder for incomplete files, within this one. By default this one. */
  readonly temporary?: string;
  /** An object that is always there. Without it, the disk of the folder is probably gone. */
  readonly marker?: string;
  /** Files that are not listed: a database may be a former backup. */
  readonly inUse?: readonly string[];
}

export class Folder implements ObjectStore {
  readonly temporary: string;

  constructor(
    readonly location: string,
    private readonly options: FolderOptions = {},
  ) {
    this.temporary = join(location, options.temporary ?? '');
  }

  text(name: string): Promise<string | undefined> {
    return withStorage(this.location, () => readFile(this.pathOf(name), 'utf8').catch(unlessMissing));
  }

  /** Durable: the bytes reach the disk before the name, and the name before the row. */
  put(name: string, path: string): Promise<void> {
    return withStorage(this.location, async () => {
      if (name !== this.options.marker) await this.checkMarker();
      await sync(path);
      const target = this.pathOf(name);
      const folder = dirname(target);
      if (await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER })) await sync(dirname(folder));
      await rename(path, target);
      await sync(folder);
    });
  }

  async get(name: string, length: number, start = 0, end = length): Promise<Blob> {
    const path = this.pathOf(name);
    const size = await withStorage(this.location, async () => {
      const found = await stat(path).catch(unlessMissing);
      if (found === undefined) await this.checkMarker();
      return found?.size;
    });
    if (size !== length) throw missingBytes(`${path} has ${size ?? 'no'} bytes, and ${length} are expected`);
    return start === 0 && end === size ? Bun.file(path) : Bun.file(path).slice(start, end);
  }

  delete(name: string): Promise<void> {
    return withStorage(this.location, () => rm(this.pathOf(name), { force: true }));
  }

  /** A page is the content of the folder, or, of a storage of files, that of one folder in it. */
  list(after: string): Promise<ObjectPage> {
    return withStorage(this.location, async () => {
      const entries = await readdir(this.location, { withFileTypes: true });
      if (this.options.marker === undefined) return this.page(entries.map(({ name }) => name));
      const [folder, next] = entries
        .filter((each) => each.isDirectory() && each.name > after)
        .map(({ name }) => name)
        .sort();
      if (folder === undefined) return { objects: [], next: undefined };
      const names = await readdir(this.pathOf(folder));
      return this.page(
        names.map((name) => `${folder}/${name}`),
        next && folder,
      );
    });
  }

  private async page(names: readonly string[], next?: string): Promise<ObjectPage> {
    const { inUse = [] } = this.options;
    const objects = await Promise.all(
      names.map(async (name) => {
        const path = this.pathOf(name);
        const found = await stat(path).catch(unlessMissing);
        const isListed = found?.isFile() === true && !inUse.some((file) => isSameFile(path, file));
        return isListed ? [{ name, size: found.size, time: found.mtime }] : [];
      }),
    );
    return { objects: objects.flat(), next };
  }

  private pathOf(name: string): string {
    return join(this.location, name);
  }

  private async checkMarker(): Promise<void> {
    if (this.options.marker !== undefined) await stat(this.pathOf(this.options.marker));
  }
}

async function sync(path: string): Promise<void> {
  await using file = await open(path, 'r');
  await file.sync();
}

function unlessMissing(error: { readonly code?: string }): undefined {
  if (error.code !== 'ENOENT') throw error;
}
