/** Reads a header such as `form-data; name="a"; filename="b.png"` into its value and parameters. */
import { unlessThrown } from '../base/errors.ts';

export interface HeaderValue {
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const PARAMETER = /;\s*([\w!#$&+.^`|~*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/gy;

export function readHeaderValue(header: string | null): HeaderValue {
  const text = header ?? '';
  const value = text.split(';', 1)[0]!;
  const parameters = new Map<string, string>();
  PARAMETER.lastIndex = value.length;
  for (let match = PARAMETER.exec(text); match !== null; match = PARAMETER.exec(text)) {
    const [, name, quoted, plain] = match;
    // Browsers escape line ends and quotation marks as below; others use a backslash.
    const unquoted = quoted?.replace(/\\(["\\])/g, '$1').replace(/%(0A|0D|22)/g, decodeURIComponent);
    parameters.set(name!.toLowerCase(), unquoted ?? plain!);
  }
  return { value: value.trim().toLowerCase(), parameters };
}

/** A header of the request. Bun decodes it as Latin-1, but most clients send UTF-8. */
export function readUtf8Header(header: string | null): HeaderValue {
  const bytes = Buffer.from(header ?? '', 'latin1');
  return readHeaderValue(unlessThrown(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes)) ?? header);
}
