/**
 * What the console's pages load: scripts by hashed name, and which of them each page begins with. They are built when
 * first asked for, or come packed into one file that a single executable carries.
 */
import { type StoredFile, storeFile } from '../http/stored-file.ts';

export type PageName = 'console' | 'docs';

export interface Assets {
  readonly files: ReadonlyMap<string, StoredFile>;
  /** The scripts of a page, in the order in which they run. */
  readonly scripts: Readonly<Record<PageName, readonly string[]>>;
}

interface Packed {
  readonly scripts: Assets['scripts'];
  readonly files: Readonly<Record<string, { readonly type: string; readonly text: string }>>;
}

/** All assets in one file, gzipped, to be embedded or kept beside the program. */
export function packAssets({ files, scripts }: Assets): Uint8Array<ArrayBuffer> {
  const texts = [...files].map(([name, { contentType, bytes }]) => [
    name,
    { type: contentType, text: new TextDecoder().decode(bytes) },
  ]);
  return Bun.gzipSync(JSON.stringify({ scripts, files: Object.fromEntries(texts) } satisfies Packed));
}

export function unpackAssets(bytes: Uint8Array<ArrayBuffer>): Assets {
  const { scripts, files } = JSON.parse(new TextDecoder().decode(Bun.gunzipSync(bytes))) as Packed;
  return {
    scripts,
    files: new Map(Object.entries(files).map(([name, { type, text }]) => [name, storeFile(text, type)])),
  };
}
