/** Lists as people write them: tags with commas. A tag with a comma, or one that begins like a list, is in quotes. */
import { parseJson } from '../collection/exact-json.ts';
import { storeJson, type Type } from '../collection/types/type.ts';

export function splitTags(text: string): readonly string[] {
  return [...text.matchAll(/\s*(?:"((?:""|[^"])*)"|([^,]+))\s*(?:,|$)/g)]
    .map(([, inner, plain]) => (inner === undefined ? plain!.trim() : inner.replaceAll('""', '"')))
    .filter((tag) => tag !== '');
}

export function joinTags(tags: readonly unknown[]): string {
  return tags
    .map((tag) => (/[",]|^[[{]/.test(String(tag)) ? `"${String(tag).replaceAll('"', '""')}"` : String(tag)))
    .join(', ');
}

/** The text form of a list: of tags, or of JSON. Other texts stay as they are. */
export function readList(type: Type, cell: string): string {
  const text = cell.trim();
  if (text.startsWith('{')) return text;
  try {
    return type.print(storeJson(type, text.startsWith('[') ? parseJson(text) : splitTags(text)));
  } catch {
    return text;
  }
}
