/** Headers with parameters, and the name of a file in Content-Disposition (RFC 6266). */
import { unlessThrown } from '../base/errors.ts';

const MAX_NAME_LENGTH = 200;

/** The name without folders, control characters and characters that change the direction of text. */
export function cleanName(name: string | undefined): string {
  const last = (name ?? '').split(/[/\\]/).at(-1)!;
  const clean = last.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu, '').trim();
  const short = [...clean].slice(0, MAX_NAME_LENGTH).join('');
  return /^\.*$/.test(short) ? 'file' : short;
}

/** The file name of a Content-Disposition header; undefined if it has none. */
export function nameIn(parameters: ReadonlyMap<string, string>): string | undefined {
  const [, charset, text] = /^([\w-]+)'[^']*'(.*)$/.exec(parameters.get('filename*') ?? '') ?? [];
  const decoded = charset?.toLowerCase() === 'utf-8' ? unlessThrown(() => decodeURIComponent(text!)) : undefined;
  return decoded ?? parameters.get('filename');
}

/** `attachment; filename="a.png"; filename*=UTF-8''a.png`. */
export function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (each) => `%${each.charCodeAt(0).toString(16)}`);
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

export interface HeaderValue {
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const PARAMETER = /;\s*([\w!#$&+.^`|~*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/gy;

/** Reads a header such as `form-data; name="a"; filename="b.png"` into its value and parameters. */
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
