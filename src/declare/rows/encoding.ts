/** The bytes of a file become text: UTF-8, unless its first bytes or --encoding tell otherwise. */
import { lineEndsIn, unreadable } from './record.ts';

/** As --encoding names them. */
export const ENCODINGS = ['utf-8', 'utf-16', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-1'] as const;
export type FileEncoding = (typeof ENCODINGS)[number];

export class TextReader {
  private decoder: TextDecoder | undefined;
  private first: Uint8Array = new Uint8Array();
  private line = 1;

  constructor(private readonly named: FileEncoding | undefined) {}

  push(bytes: Uint8Array): string {
    if (this.decoder !== undefined) return this.decode(bytes, false);
    // A byte order mark takes up to three bytes, which may come one by one.
    const first = new Uint8Array(this.first.length + bytes.length);
    first.set(this.first);
    first.set(bytes, this.first.length);
    this.first = first;
    return this.first.length < 3 ? '' : this.begin(false);
  }

  end(): string {
    return this.decoder === undefined ? this.begin(true) : this.decode(new Uint8Array(), true);
  }

  private begin(isLast: boolean): string {
    this.decoder = new TextDecoder(encodingOf(this.first, this.named), { fatal: true });
    return this.decode(this.first, isLast);
  }

  private decode(bytes: Uint8Array, isLast: boolean): string {
    try {
      const text = this.decoder!.decode(bytes, { stream: !isLast });
      this.line += lineEndsIn(text);
      return text;
    } catch {
      const { encoding } = this.decoder!;
      const hint = encoding === 'utf-8' ? '; say --encoding windows-1252 for a file of an older spreadsheet' : '';
      throw unreadable(this.line, `after this the file is not ${encoding.toUpperCase()}${hint}`);
    }
  }
}

/** A byte order mark tells, and so does a NUL where the first letter is: no file begins with one, but for UTF-16. */
function encodingOf([first, second]: Uint8Array, named: FileEncoding | undefined): FileEncoding {
  if (named !== undefined && named !== 'utf-16') return named;
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0) return 'utf-16be';
  return second === 0 || named === 'utf-16' ? 'utf-16le' : 'utf-8';
}
