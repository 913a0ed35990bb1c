/** Names of indexes and constraints, derived from those of a collection and its fields. */
import { MAX_NAME_BYTES } from '../base/limits/declaration.ts';

const UTF8 = new TextEncoder();

/** The parts joined with `_`. A name that PostgreSQL would cut ends with a hash instead, so that it stays distinct. */
export function derivedName(...parts: readonly string[]): string {
  return boundedName(parts.join('_'), MAX_NAME_BYTES);
}

/** The name. A longer one ends with a hash instead, so that it stays distinct. */
export function boundedName(name: string, maxBytes: number): string {
  if (name.length * 3 <= maxBytes || UTF8.encode(name).length <= maxBytes) return name;
  const hash = `_${hashOf(name).toString(16).padStart(8, '0')}`;
  let kept = [...name].slice(0, maxBytes - hash.length);
  while (UTF8.encode(kept.join('')).length > maxBytes - hash.length) kept = kept.slice(0, -1);
  return kept.join('') + hash;
}

/** FNV-1a, with 32 bits. */
function hashOf(text: string): number {
  return UTF8.encode(text).reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193) >>> 0, 0x811c9dc5);
}
