/** Uploads the files that the cells of a column name, from the folder of --files. */
import { realpathSync, statSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { ApiError, unlessThrown } from '../../base/errors.ts';
import type { Catalogue, Collection, Field } from '../../collection/declaration.ts';
import { isFileField } from '../../collection/files.ts';
import { builtIn } from '../../collection/types/index.ts';
import { storeJson } from '../../collection/types/type.ts';
import type { Engine } from '../../engine/engine.ts';
import { checkFile } from '../../files/check-values.ts';
import type { Limits } from '../../files/receive.ts';
import type { FileStore } from '../../files/store.ts';
import { receiveFile } from '../../files/upload.ts';
import { ConfigError } from '../../settings/by-command.ts';
import { filesIn } from '../shared/copied-files.ts';
import type { CellResolver } from './resolve.ts';

const NAMES = builtIn('text[]');
const ACTOR = 'catalogue import';

interface UploadOptions extends Limits {
  readonly catalogue: Catalogue;
  readonly folder: string;
}

/** A resolver for each file field of the collection. */
export function uploaders(collection: Collection, options: UploadOptions): ReadonlyMap<Field, CellResolver> {
  const fields = collection.fields.filter(isFileField);
  if (fields.length === 0) throw new ConfigError(`--files: ${collection.name} has no field of type file or image`);
  if (statSync(options.folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new ConfigError(`--files ${options.folder} is not a folder`);
  }
  const root = realpathSync(options.folder);
  return new Map(fields.map((field) => [field, new UploadedFiles(field, root, options)]));
}

class UploadedFiles implements CellResolver {
  /** The id of each file by its name, or why it was not uploaded. */
  private readonly ids = new Map<string, string | ApiError>();
  private readonly wanted = new Set<string>();

  constructor(
    private readonly field: Field,
    private readonly root: string,
    private readonly options: UploadOptions,
  ) {}

  request(cell: unknown): void {
    for (const name of this.namesIn(cell)) if (!this.ids.has(name)) this.wanted.add(name);
  }

  async load(engine: Engine): Promise<void> {
    const store = filesIn(engine, this.options.catalogue).files!;
    for (const name of this.wanted) this.ids.set(name, await this.upload(store, name));
    this.wanted.clear();
  }

  /** The id of the file as a cell, or those of a list. */
  keyOf(cell: unknown, isText: boolean): unknown {
    if (cell === undefined || cell === null) return cell;
    const ids = this.namesIn(cell).map((name) => {
      const id = this.ids.get(name);
      if (id instanceof ApiError) throw id;
      return id!;
    });
    if (this.field.type.element === undefined) return ids[0];
    return isText ? NAMES.print(storeJson(NAMES, ids)) : ids;
  }

  private async upload(store: FileStore, name: string): Promise<string | ApiError> {
    try {
      const bytes = Bun.file(this.pathOf(name)).stream() as unknown as AsyncIterable<Uint8Array>;
      const keepMetadata = this.field.file?.keepMetadata === true;
      const origin = { name: basename(name), actor: ACTOR, keepMetadata };
      const uploaded = await receiveFile(store, this.options, bytes, origin);
      try {
        checkFile(this.field, uploaded.file);
        await store.add([uploaded]);
      } catch (error) {
        await uploaded.upload.discard();
        throw error;
      }
      return uploaded.file.id;
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  }

  /** The path of a file in the folder. A name, or a symbolic link, may not lead out of it. */
  private pathOf(name: string): string {
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(name)) {
      throw new ApiError('22P02', `"${name}" is a URL, and an import fetches nothing`, {
        hint: 'Download the file into the folder of --files, and give its name.',
      });
    }
    const path = unlessThrown(() => realpathSync(join(this.root, name)));
    const isInside =
      path !== undefined && !relative(this.root, path).startsWith('..') && path.startsWith(this.root + sep);
    if (isInside && statSync(path).isFile()) return path;
    throw new ApiError('23503', `the folder of --files has no file "${name}"`);
  }

  private namesIn(cell: unknown): readonly string[] {
    if (cell === undefined || cell === null || cell === '') return [];
    if (this.field.type.element === undefined) return [String(cell)];
    const value = storeJson(NAMES, cell);
    return value === null ? [] : (JSON.parse(NAMES.json(value)) as (string | null)[]).filter((name) => name !== null);
  }
}
