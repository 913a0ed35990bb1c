/** JPEG (ITU T.81, annex B): keeps what decoders need, colour profiles (APP2) and colour transforms (APP0, APP14). */
import { type Container, NOTHING, SKIP_REST, type Step } from './container.ts';
import { neededOrientation } from './orientation.ts';

const [MARK, STUFFED, RESTART_0, RESTART_7, START, END, SCAN] = [0xff, 0x00, 0xd0, 0xd7, 0xd8, 0xd9, 0xda];
const [APP0, APP1, APP2, APP14, APP15, COMMENT] = [0xe0, 0xe1, 0xe2, 0xee, 0xef, 0xfe];
const PROFILE = 'ICC_PROFILE\0';
const EXIF = 'Exif\0\0';
const JFIF = 'JFIF\0';
const HEADER_BYTES = 4;
/** A segment of JFIF without a thumbnail, whose width and height are its last bytes. */
const JFIF_BYTES = 18;

export class Jpeg implements Container {
  private isInScan = false;
  private isOver = false;

  next(bytes: Buffer): Step | undefined {
    // Other pictures and videos, with metadata of their own, may follow the end.
    if (this.isOver) return SKIP_REST;
    const at = this.isInScan ? endOfScan(bytes) : startOfMarker(bytes);
    if (at > 0) return { kind: this.isInScan ? 'copy' : 'skip', length: at };
    if (bytes.length < 2) return undefined;
    this.isInScan = false;
    const code = bytes[1]!;
    this.isOver = code === END;
    if (code === START || code === END || (code >= RESTART_0 && code <= RESTART_7) || code <= 1) {
      return { kind: 'copy', length: 2 };
    }
    if (bytes.length < HEADER_BYTES) return undefined;
    return this.segment(code, 2 + Math.max(2, bytes.readUInt16BE(2)), bytes);
  }

  private segment(code: number, length: number, bytes: Buffer): Step | undefined {
    if (code === APP0) return { kind: 'replace', length, by: withoutThumbnail };
    if (code === APP1) return { kind: 'replace', length, by: orientationOf };
    if (code === APP2) {
      const enough = Math.min(length, HEADER_BYTES + PROFILE.length);
      if (bytes.length < enough) return undefined;
      const isProfile = bytes.toString('latin1', HEADER_BYTES, enough) === PROFILE;
      return { kind: isProfile ? 'copy' : 'skip', length };
    }
    this.isInScan = code === SCAN;
    const isMetadata = (code > APP0 && code <= APP15 && code !== APP14) || code === COMMENT;
    return { kind: isMetadata ? 'skip' : 'copy', length };
  }
}

/** The number of bytes before the next marker. A decoder also skips bytes between segments, and repeated marks. */
function startOfMarker(bytes: Buffer): number {
  let at = bytes.indexOf(MARK);
  if (at === -1) return bytes.length;
  while (bytes[at + 1] === MARK) at++;
  return at;
}

/** The number of bytes of compressed data before the next marker. A call of `indexOf` for each mark would be slower. */
function endOfScan(bytes: Buffer): number {
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== MARK) continue;
    const code = bytes[at + 1];
    if (code === STUFFED || (code !== undefined && code >= RESTART_0 && code <= RESTART_7)) at++;
    else if (code !== MARK) return at;
  }
  return bytes.length;
}

/** A thumbnail may show what was cut off the picture. */
function withoutThumbnail(segment: Buffer): Uint8Array {
  const isKept = segment.toString('latin1', HEADER_BYTES, HEADER_BYTES + JFIF.length) === JFIF;
  if (!isKept || segment.length <= JFIF_BYTES) return isKept ? segment : NOTHING;
  const header = Buffer.from([MARK, APP0, 0, JFIF_BYTES - 2]);
  return Buffer.concat([header, segment.subarray(HEADER_BYTES, JFIF_BYTES - 2), Buffer.alloc(2)]);
}

function orientationOf(segment: Buffer): Uint8Array {
  const content = segment.subarray(HEADER_BYTES);
  if (content.toString('latin1', 0, EXIF.length) !== EXIF) return NOTHING;
  const exif = neededOrientation(content);
  if (exif === undefined) return NOTHING;
  const header = Buffer.from([MARK, APP1, 0, 2 + EXIF.length + exif.length]);
  return Buffer.concat([header, Buffer.from(EXIF, 'latin1'), exif]);
}
