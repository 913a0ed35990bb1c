/** PNG (https://www.w3.org/TR/png-3/): removes texts, times and Exif metadata, and keeps everything else. */
import { printChunk } from '../crop.ts';
import { type Container, MAX_COLLECTED_BYTES, NOTHING, SKIP_REST, type Step } from './container.ts';
import { neededOrientation } from './orientation.ts';

const SIGNATURE_BYTES = 8;
const HEADER_BYTES = 8;
const CHECKSUM_BYTES = 4;
const METADATA = ['tEXt', 'zTXt', 'iTXt', 'tIME', 'eXIf'];

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
    return { kind: METADATA.includes(type) ? 'skip' : 'copy', length };
  }
}

function orientationOf(chunk: Buffer): Uint8Array {
  const exif = neededOrientation(chunk.subarray(HEADER_BYTES, -CHECKSUM_BYTES));
  if (exif === undefined) return NOTHING;
  return Buffer.concat(printChunk({ type: 'eXIf', data: exif }));
}
