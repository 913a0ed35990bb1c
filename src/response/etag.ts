/** Entity tags (RFC 9110, 8.8.3) and the conditions clients put on them. */
import { versionOfText } from '../collection/version.ts';
import type { Media } from '../http/negotiate.ts';

/**
 * A row's tag begins with its version. A representation other than the whole row in JSON adds its own mark,
 * so that each has a tag of its own and all of them name the same version to If-Match.
 */
export function itemTag(version: string, variant = ''): string {
  return variant === '' ? `"${version}"` : `"${version}.${versionOfText(variant)}"`;
}

/** The same bytes as another media type are another representation. */
export function listTag(body: string, range: string, media: Media): string {
  const { format, stripNulls, bom, noFormulas } = media;
  const variant = stripNulls ? '-stripped' : noFormulas ? '-spreadsheet' : bom ? '-bom' : '';
  const kind = format === 'json' && !stripNulls ? '' : `-${format}${variant}`;
  return `"${versionOfText(body)}-${range}${kind}"`;
}
