/** The version of a row: a hash of its JSON, the same wherever it is computed, so that `If-Match` means the same row. */

/** 64 bits of xxHash3: enough that two states of one row never meet, and far cheaper than the JSON itself. */
export function versionOfText(text: string): string {
  return Bun.hash.xxHash3(text).toString(32);
}
