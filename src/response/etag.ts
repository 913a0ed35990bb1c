/** Entity tags (RFC 9110, 8.8.3). */
import { versionOfText } from '../collection/version.ts';
import type { Media } from '../http/negotiate.ts';

/**
 * A row's tag begins with its version. Representations other than the whole row in JSON add a suffix, so that each has
 * its own tag and all of them identify the same version for If-Match.
 */
export function itemTag(version: string, variant = ''): string {
  return variant === '' ? `"${version}"` : `"${version}.${versionOfText(variant)}"`;
}

/** Equal bytes with another media type are another representation. */
export function listTag(body: string, range: string, media: Media): string {
  const { format, stripNulls, bom, noFormulas } = media;
  const variant = stripNulls ? '-stripped' : noFormulas ? '-spreadsheet' : bom ? '-bom' : '';
  const kind = format === 'json' && !stripNulls ? '' : `-${format}${variant}`;
  return `"${versionOfText(body)}-${range}${kind}"`;
}
