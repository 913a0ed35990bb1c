/**
 * The scripts, styles and fonts of the pages, by hashed name, and the entry files of each page. They are built at the
 * first request, or unpacked from one file that an executable embeds.
 */
import { type StoredFile, storeFile } from '../http/stored-file.ts';
import type { GuideTexts } from './guide/texts.ts';

export type PageName = 'console' | 'docs' | 'guide';

export interface Assets {
  readonly files: ReadonlyMap<string, StoredFile>;
  /** The files that a page loads, in order. The list is empty if the page is not installed. */
  readonly pages: Readonly<Record<PageName, readonly string[]>>;
  readonly guide: GuideTexts;
}

interface Packed {
  readonly pages: Assets['pages'];
  readonly guide: GuideTexts;
  readonly files: Readonly<Record<string, { readonly type: string; readonly text?: string; readonly base64?: string }>>;
}

/** Packs all assets into one gzipped file, to embed it or to store it beside the program. */
export function packAssets({ files, pages, guide }: Assets): Uint8Array<ArrayBuffer> {
  const texts = [...files].map(([name, { contentType, bytes }]) => [
    name,
    contentType.startsWith('font/')
      ? { type: contentType, base64: bytes.toBase64() }
      : { type: contentType, text: new TextDecoder().decode(bytes) },
  ]);
  return Bun.gzipSync(JSON.stringify({ pages, guide, files: Object.fromEntries(texts) } satisfies Packed));
}

export function unpackAssets(bytes: Uint8Array<ArrayBuffer>): Assets {
  const { pages, guide, files } = JSON.parse(new TextDecoder().decode(Bun.gunzipSync(bytes))) as Packed;
  return {
    pages,
    guide,
    files: new Map(
      Object.entries(files).map(([name, { type, text, base64 = '' }]) => [
        name,
        storeFile(text ?? Uint8Array.fromBase64(base64), type),
      ]),
    ),
  };
}
