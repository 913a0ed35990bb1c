/** Decodes a file: UTF-8, unless its first bytes or --encoding say otherwise. */
import { lineEndsIn, UnreadableFile } from './record.ts';

/** The values of --encoding. */
export const ENCODINGS = ['utf-8', 'utf-16', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-1'] as const;
export type FileEncoding = (typeof ENCODINGS)[number];

export class TextReader {
  private decoder: TextDecoder | undefined;
  private first: Uint8Array = new Uint8Array();
  private line = 1;

  constructor(private readonly named: FileEncoding | undefined) {}

  push(bytes: Uint8Array): string {
    if (this.decoder !== undefined) return this.decode(bytes, false);
    // A byte order mark has up to three bytes, which may arrive one by one.
    const first = new Uint8Array(this.first.length + bytes.length);
    first.set(this.first);
    first.set(bytes, this.first.length);
    this.first = first;
    return this.first.length < 3 ? '' : this.begin(false);
  }

  end(): string {
    return this.decoder === undefined ? this.begin(true) : this.decode(new Uint8Array(), true);
  }

  /** The encoding of the file; known with its first bytes. */
  get encoding(): FileEncoding {
    return encodingOf(this.first, this.named);
  }

  private begin(isLast: boolean): string {
    this.decoder = new TextDecoder(this.encoding, { fatal: true });
    return this.decode(this.first, isLast);
  }

  private decode(bytes: Uint8Array, isLast: boolean): string {
    try {
      const text = this.decoder!.decode(bytes, { stream: !isLast });
      this.line += lineEndsIn(text);
      return text;
    } catch {
      const { encoding } = this.decoder!;
      const hint = encoding === 'utf-8' ? '; for a file of an older spreadsheet, use --encoding windows-1252' : '';
      throw new UnreadableFile(this.line, 'wrongEncoding', encoding.toUpperCase(), hint);
    }
  }
}

/** Detected by a byte order mark, or by a NUL byte in the first character, which only UTF-16 has. */
function encodingOf([first, second]: Uint8Array, named: FileEncoding | undefined): FileEncoding {
  if (named !== undefined && named !== 'utf-16') return named;
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0) return 'utf-16be';
  return second === 0 || named === 'utf-16' ? 'utf-16le' : 'utf-8';
}

const MARK = '\ufeff';

/** Encodes text so that a `TextReader` with the same flags reads it back. */
export class TextWriter {
  private hasBegun = false;
  private readonly codes: ReadonlyMap<string, number>;

  constructor(private readonly encoding: FileEncoding) {
    const isWide = encoding.startsWith('utf');
    const decoder = isWide ? undefined : new TextDecoder(encoding);
    this.codes = new Map(
      Array.from({ length: isWide ? 0 : 256 }, (_, byte) => [decoder!.decode(Uint8Array.of(byte)), byte] as const),
    );
  }

  encode(text: string): Uint8Array {
    if (this.encoding === 'utf-8') return new TextEncoder().encode(text);
    if (!this.encoding.startsWith('utf')) return this.bytes(text);
    const marked = this.hasBegun ? text : MARK + text;
    this.hasBegun = true;
    const codes = new DataView(new ArrayBuffer(2 * marked.length));
    for (let at = 0; at < marked.length; at++) {
      codes.setUint16(2 * at, marked.charCodeAt(at), this.encoding !== 'utf-16be');
    }
    return new Uint8Array(codes.buffer);
  }

  /** A character that the encoding does not have comes from JSON, which also writes it as an escape. */
  private bytes(text: string): Uint8Array {
    const escaped = (code: string) => `\\u${code.charCodeAt(0).toString(16).padStart(4, '0')}`;
    const encodable = text.replaceAll(/[^\x00-\x7f]/g, (each) => (this.codes.has(each) ? each : escaped(each)));
    return Uint8Array.from(encodable, (each) => this.codes.get(each)!);
  }
}
