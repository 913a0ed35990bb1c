/** The version of a row for `If-Match`: a hash of its JSON, equal wherever it is computed. */

/** 64 bits of xxHash3: collisions between versions of one row are negligible, and hashing is cheap. */
export function versionOfText(text: string): string {
  return Bun.hash.xxHash3(text).toString(32);
}
