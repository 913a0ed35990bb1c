/** A path that stands before every path of the service, as a proxy or a setting names it. */
import { MAX_PREFIX_LENGTH } from './limits.ts';

/** Nothing that means something in a header, in HTML or to a browser: no `//`, no `..`, no quotes. */
const SEGMENTS = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*\/?$/;

/** Without a slash at its end; `/` is none. Undefined where the text is no such path. */
export function pathPrefix(text: string): string | undefined {
  if (text.length > MAX_PREFIX_LENGTH || !SEGMENTS.test(text)) return undefined;
  return text.endsWith('/') ? text.slice(0, -1) : text;
}
