/** The rows of a copy, with the bytes of uploaded files: in the database, or at a place that one of the two names. */
import { lazyAsync } from '../../base/memo.ts';
import type { Catalogue, Collection } from '../../collection/declaration.ts';
import { CHUNKS, CONTENTS, FILES_NAME, STORAGES } from '../../collection/files.ts';
import type { Engine } from '../../engine/engine.ts';
import { FileRecords } from '../../files/records.ts';
import { newStorage, openStorage } from '../../files/storage/identity.ts';
import type { Content } from '../../files/storage/storage.ts';
import { chunksOf, copyContent } from '../../files/storage/transfer.ts';
import { FileStore } from '../../files/store.ts';
import type { StoredRow } from '../../plan/write-plan.ts';
import { storedRow } from './copied-log.ts';

export interface SourceRows {
  rows(collection: Collection): AsyncIterable<StoredRow>;
  /** The uploaded files, if the catalogue has some. */
  readonly files?: FileStore;
}

interface CopiedRows {
  rows(collection: Collection): AsyncIterable<StoredRow>;
  /** If no row could be stored. */
  release(): Promise<void>;
}

export function filesIn(engine: Engine, catalogue: Catalogue): Pick<SourceRows, 'files'> {
  if (!catalogue.builtIn.has(FILES_NAME)) return {};
  const storage = lazyAsync(() => openStorage(new FileRecords(engine, catalogue), ''));
  return { files: new FileStore(engine, catalogue, storage) };
}

export async function rowsWithFiles(
  catalogue: Catalogue,
  source: SourceRows,
  target: Engine,
  toFiles: string,
): Promise<CopiedRows> {
  const { files } = source;
  if (files === undefined) return { rows: (collection) => source.rows(collection), release: async () => undefined };
  const place = toFiles === '' ? undefined : await newStorage(new FileRecords(target, catalogue), toFiles);
  const contents: Content[] = [];
  const rows: Readonly<Record<string, (collection: Collection) => AsyncIterable<StoredRow>>> = {
    [STORAGES]: async function* (collection) {
      if (place !== undefined) yield storedRow(collection, { ...place.row });
    },
    // The bytes are at their place before the row is stored.
    [CONTENTS]: async function* (collection) {
      for await (const row of source.rows(collection)) {
        const content = contentOf(collection, row);
        if (content !== undefined && place === undefined) contents.push(content);
        else if (content !== undefined) await copyContent(files, content, place!.storage);
        yield row;
      }
    },
    [CHUNKS]: async function* (collection) {
      for (const content of contents) {
        for await (const chunk of chunksOf(files, content)) yield storedRow(collection, chunk);
      }
    },
  };
  return {
    rows: (collection) => rows[collection.name]?.(collection) ?? source.rows(collection),
    release: async () => place?.release(),
  };
}

/** Undefined for an upload that is not complete. */
function contentOf({ fields }: Collection, row: StoredRow): Content | undefined {
  const value = (name: string) => row[fields.findIndex((field) => field.name === name)];
  const sha256 = value('sha256');
  return sha256 === null ? undefined : { id: String(value('id')), sha256: String(sha256), size: Number(value('size')) };
}
