/**
 * What the pages load: scripts and styles by hashed name, and which of them each page begins with. They are built when
 * first asked for, or come packed into one file that a single executable carries.
 */
import { type StoredFile, storeFile } from '../http/stored-file.ts';

export type PageName = 'console' | 'docs';

export interface Assets {
  readonly files: ReadonlyMap<string, StoredFile>;
  /** What a page loads, in order. Nothing where it is not installed. */
  readonly pages: Readonly<Record<PageName, readonly string[]>>;
}

interface Packed {
  readonly pages: Assets['pages'];
  readonly files: Readonly<Record<string, { readonly type: string; readonly text: string }>>;
}

/** All assets in one file, gzipped, to be embedded or kept beside the program. */
export function packAssets({ files, pages }: Assets): Uint8Array<ArrayBuffer> {
  const texts = [...files].map(([name, { contentType, bytes }]) => [
    name,
    { type: contentType, text: new TextDecoder().decode(bytes) },
  ]);
  return Bun.gzipSync(JSON.stringify({ pages, files: Object.fromEntries(texts) } satisfies Packed));
}

export function unpackAssets(bytes: Uint8Array<ArrayBuffer>): Assets {
  const { pages, files } = JSON.parse(new TextDecoder().decode(Bun.gunzipSync(bytes))) as Packed;
  return {
    pages,
    files: new Map(Object.entries(files).map(([name, { type, text }]) => [name, storeFile(text, type)])),
  };
}
