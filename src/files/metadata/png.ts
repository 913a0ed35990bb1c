/** PNG (https://www.w3.org/TR/png-3/): keeps what decoders need, colours, and the frames of an animation. */
import { printChunk } from '../crop.ts';
import { type Container, MAX_COLLECTED_BYTES, NOTHING, SKIP_REST, type Step } from './container.ts';
import { neededOrientation } from './orientation.ts';

const SIGNATURE_BYTES = 8;
const HEADER_BYTES = 8;
const CHECKSUM_BYTES = 4;
/** Decoders reject a file with another critical chunk. */
const CRITICAL = ['IHDR', 'PLTE', 'IDAT', 'IEND'];
const COLOURS = ['cHRM', 'gAMA', 'iCCP', 'sBIT', 'sRGB', 'cICP', 'mDCV', 'cLLI', 'bKGD', 'hIST', 'tRNS', 'sPLT'];
const KEPT = [...CRITICAL, ...COLOURS, 'pHYs', 'acTL', 'fcTL', 'fdAT'];

export class Png implements Container {
  private isBegun = false;
  private isOver = false;

  next(bytes: Buffer): Step | undefined {
    if (this.isOver) return SKIP_REST;
    if (!this.isBegun) {
      this.isBegun = true;
      return { kind: 'copy', length: SIGNATURE_BYTES };
    }
    if (bytes.length < HEADER_BYTES) return undefined;
    const length = HEADER_BYTES + bytes.readUInt32BE(0) + CHECKSUM_BYTES;
    const type = bytes.toString('latin1', 4, HEADER_BYTES);
    this.isOver = type === 'IEND';
    if (type === 'eXIf' && length <= MAX_COLLECTED_BYTES) return { kind: 'replace', length, by: orientationOf };
    return { kind: KEPT.includes(type) ? 'copy' : 'skip', length };
  }
}

function orientationOf(chunk: Buffer): Uint8Array {
  const exif = neededOrientation(chunk.subarray(HEADER_BYTES, -CHECKSUM_BYTES));
  if (exif === undefined) return NOTHING;
  return Buffer.concat(printChunk({ type: 'eXIf', data: exif }));
}
