/**
 * Reads files from a ZIP archive, as far as a workbook needs it (APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and
 * 4.3.16).
 */

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_LENGTH = 22;
const MAX_COMMENT = 0xffff;
const STORED = 0;
const DEFLATED = 8;
/** Largest unpacked size. It stops ZIP bombs. */
const MAX_UNPACKED = 512 * 1024 * 1024;

export function isZip(bytes: Uint8Array): boolean {
  return bytes.length > END_LENGTH && viewOf(bytes).getUint32(0, true) === LOCAL;
}

export class Zip {
  private readonly view: DataView;
  private readonly entries = new Map<string, { method: number; size: number; at: number }>();
  private unpacked = 0;

  constructor(private readonly bytes: Uint8Array) {
    this.view = viewOf(bytes);
    const end = this.findEnd();
    let at = this.view.getUint32(end + 16, true);
    for (let left = this.view.getUint16(end + 10, true); left > 0; left--) {
      if (this.view.getUint32(at, true) !== CENTRAL) throw new Error('it is damaged');
      const [name, extra, comment] = [28, 30, 32].map((place) => this.view.getUint16(at + place, true)) as [
        number,
        number,
        number,
      ];
      this.entries.set(new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + name)), {
        method: this.view.getUint16(at + 10, true),
        size: this.view.getUint32(at + 20, true),
        at: this.view.getUint32(at + 42, true),
      });
      at += 46 + name + extra + comment;
    }
  }

  has(name: string): boolean {
    return this.entries.has(name);
  }

  async text(name: string): Promise<string> {
    const entry = this.entries.get(name);
    if (entry === undefined) throw new Error(`it has no part ${name}`);
    const start = entry.at + 30 + this.view.getUint16(entry.at + 26, true) + this.view.getUint16(entry.at + 28, true);
    const packed = this.bytes.slice(start, start + entry.size);
    if (entry.method === STORED) return new TextDecoder().decode(packed);
    if (entry.method !== DEFLATED) throw new Error('it uses an unknown compression');
    return this.inflated(packed);
  }

  private async inflated(packed: Uint8Array<ArrayBuffer>): Promise<string> {
    const pieces = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    const decoder = new TextDecoder();
    const reader = pieces.getReader();
    let text = '';
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      this.unpacked += piece.value.byteLength;
      if (this.unpacked > MAX_UNPACKED) throw new Error('it is too large');
      text += decoder.decode(piece.value, { stream: true });
    }
    return text + decoder.decode();
  }

  /** The end record is followed by a comment at most. */
  private findEnd(): number {
    const last = this.bytes.length - END_LENGTH;
    for (let at = last; at >= Math.max(0, last - MAX_COMMENT); at--) {
      if (this.view.getUint32(at, true) === END) return at;
    }
    throw new Error('it is incomplete');
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
