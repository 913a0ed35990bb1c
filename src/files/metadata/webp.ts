/**
 * WebP (RFC 9649): keeps what decoders need and overwrites all else, which usually follows the picture. The file starts
 * with its length, so that removing it would change bytes that are already stored.
 */
import { type Container, MAX_COLLECTED_BYTES, SKIP_REST, type Step } from './container.ts';
import { orientationOnly, readOrientation } from './orientation.ts';

const FILE_HEADER_BYTES = 12;
const HEADER_BYTES = 8;
/** The bit of the header chunk that announces XMP metadata. */
const HAS_XMP = 0x04;
/** Not `ANIM` and `ANMF`: the service cannot decode an animation, so it rejects it. */
const KEPT = ['ICCP', 'ALPH', 'VP8 ', 'VP8L'];

export class Webp implements Container {
  private readonly steps: Step[] = [];
  /** The bytes of the chunks that follow, as the header of the file says. */
  private left: number | undefined;

  next(bytes: Buffer): Step | undefined {
    const known = this.steps.shift();
    if (known !== undefined) return known;
    if (this.left === undefined) {
      this.left = bytes.readUInt32LE(4) - 4;
      return { kind: 'copy', length: FILE_HEADER_BYTES };
    }
    if (this.left <= 0) return SKIP_REST;
    if (bytes.length < HEADER_BYTES) return undefined;
    const type = bytes.toString('latin1', 0, 4);
    const size = bytes.readUInt32LE(4);
    const length = HEADER_BYTES + size + (size % 2);
    this.left -= length;
    if (KEPT.includes(type)) return { kind: 'copy', length };
    const start = type === 'VP8X' ? 1 : type === 'EXIF' ? MAX_COLLECTED_BYTES : 0;
    const by = REPLACEMENTS[type] ?? asJunk;
    const replaced = Math.min(length, HEADER_BYTES + start);
    this.steps.push({ kind: type === 'VP8X' ? 'copy' : 'zero', length: length - replaced });
    return { kind: 'replace', length: replaced, by };
  }
}

const REPLACEMENTS: Readonly<Record<string, (chunk: Buffer) => Uint8Array>> = {
  VP8X: (chunk) => {
    const copy = Buffer.from(chunk);
    if (copy.length > HEADER_BYTES) copy[HEADER_BYTES]! &= ~HAS_XMP;
    return copy;
  },
  EXIF: (chunk) => {
    const copy = Buffer.alloc(chunk.length);
    chunk.copy(copy, 0, 0, HEADER_BYTES);
    orientationOnly(readOrientation(chunk.subarray(HEADER_BYTES)) ?? 1).copy(copy, HEADER_BYTES);
    return copy;
  },
};

/** Decoders skip unknown chunks. */
function asJunk(chunk: Buffer): Uint8Array {
  return Buffer.concat([Buffer.from('JUNK', 'latin1'), chunk.subarray(4)]);
}
