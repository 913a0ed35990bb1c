/** GIF: keeps pictures and their timing, and of the data of applications loops and colour profiles. */
import { type Container, SKIP_REST, type Step } from './container.ts';

const [EXTENSION, IMAGE, TRAILER] = [0x21, 0x2c, 0x3b];
const [TIMING, APPLICATION] = [0xf9, 0xff];
const KEPT_APPLICATIONS = ['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012'];
const FILE_HEADER_BYTES = 13;
const IMAGE_HEADER_BYTES = 10;
const APPLICATION_HEADER_BYTES = 14;

export class Gif implements Container {
  private isBegun = false;
  private isEnded = false;
  /** The treatment of the sub-blocks that follow. */
  private subBlocks: 'copy' | 'skip' | undefined;

  next(bytes: Buffer): Step | undefined {
    if (this.isEnded) return SKIP_REST;
    if (this.subBlocks !== undefined) return this.nextSubBlocks(bytes, this.subBlocks);
    if (!this.isBegun) {
      if (bytes.length < FILE_HEADER_BYTES) return undefined;
      this.isBegun = true;
      return { kind: 'copy', length: FILE_HEADER_BYTES + colourTableBytes(bytes[10]!) };
    }
    if (bytes[0] === EXTENSION) return this.nextExtension(bytes);
    if (bytes[0] === IMAGE) {
      if (bytes.length < IMAGE_HEADER_BYTES) return undefined;
      this.subBlocks = 'copy';
      // The size of codes precedes them.
      return { kind: 'copy', length: IMAGE_HEADER_BYTES + colourTableBytes(bytes[9]!) + 1 };
    }
    this.isEnded = bytes[0] === TRAILER;
    return { kind: 'copy', length: this.isEnded ? 1 : Number.POSITIVE_INFINITY };
  }

  private nextExtension(bytes: Buffer): Step | undefined {
    const label = bytes[1];
    if (label === undefined || (label === APPLICATION && bytes.length < APPLICATION_HEADER_BYTES)) return undefined;
    const application = bytes.toString('latin1', 3, APPLICATION_HEADER_BYTES);
    const isKept = label === TIMING || (label === APPLICATION && KEPT_APPLICATIONS.includes(application));
    this.subBlocks = isKept ? 'copy' : 'skip';
    return { kind: this.subBlocks, length: 2 };
  }

  /** All that have arrived in one step, since they are short. An empty one is the last. */
  private nextSubBlocks(bytes: Buffer, kind: 'copy' | 'skip'): Step {
    let length = 0;
    while (length < bytes.length) {
      const size = bytes[length]!;
      length += 1 + size;
      if (size > 0) continue;
      this.subBlocks = undefined;
      break;
    }
    return { kind, length };
  }
}

function colourTableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}
