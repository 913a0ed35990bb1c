/** A path prefix set by a proxy or by --base-path. */
import { MAX_PREFIX_LENGTH } from '../limits/http.ts';

/** Allows nothing with a meaning in headers, HTML or browsers: no `//`, `..` or quotes. */
const SEGMENTS = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*\/?$/;

/** Without a trailing slash; `/` becomes empty. Undefined if the text is not such a path. */
export function pathPrefix(text: string): string | undefined {
  if (text.length > MAX_PREFIX_LENGTH || !SEGMENTS.test(text)) return undefined;
  return text.endsWith('/') ? text.slice(0, -1) : text;
}
