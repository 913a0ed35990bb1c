/**
 * Cuts the middle out of an image. Bun.Image cannot crop, but without compression it writes PNG files of plain rows: 8
 * bits per channel, red, green, blue and alpha, without filters.
 */
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';

const SIGNATURE_BYTES = 8;
const CHANNELS = 4;
/** With space for the whole result, zlib does not return it in pieces. */
const SLACK = 1024;
/** The depth, and the color type of red, green, blue and alpha. */
const PLAIN = 0x0806;

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size of an image that covers a box. It is never enlarged, so it may be smaller than the box. */
export function coverSize({ width, height }: Size, box: Size): Size {
  const scale = Math.min(1, Math.max(box.width / width, box.height / height));
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

/** `png` is an image without compression. The part is at most as large as the box. */
export async function cropMiddle(png: Buffer, box: Size): Promise<Buffer> {
  const chunks = chunksOf(png);
  const header = chunks[0]!.data;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  if (header.readUInt16BE(8) !== PLAIN) throw new Error('a PNG file without compression has other pixels');
  const compressed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  const pixels = await promisify(inflate)(compressed, { chunkSize: height * (1 + width * CHANNELS) + SLACK });
  const [cutWidth, cutHeight] = [Math.min(width, box.width), Math.min(height, box.height)];
  const [left, top] = [(width - cutWidth) >> 1, (height - cutHeight) >> 1];
  const rowBytes = 1 + cutWidth * CHANNELS;
  const cut = Buffer.allocUnsafe(rowBytes * cutHeight);
  for (let y = 0; y < cutHeight; y++) {
    const row = (top + y) * (1 + width * CHANNELS);
    if (pixels[row] !== 0) throw new Error('a PNG file without compression has filters');
    cut[y * rowBytes] = 0;
    pixels.copy(cut, y * rowBytes + 1, row + 1 + left * CHANNELS, row + 1 + (left + cutWidth) * CHANNELS);
  }
  const cutHeader = Buffer.from(header);
  cutHeader.writeUInt32BE(cutWidth, 0);
  cutHeader.writeUInt32BE(cutHeight, 4);
  const data = await promisify(deflate)(cut, { level: 0, chunkSize: cut.length + (cut.length >> 8) + SLACK });
  // Others, such as the color profile, stay as they are.
  const others = chunks.slice(1).filter(({ type }) => type !== 'IDAT' && type !== 'IEND');
  const kept = [{ type: 'IHDR', data: cutHeader }, ...others, { type: 'IDAT', data }, { type: 'IEND', data: NOTHING }];
  return Buffer.concat([png.subarray(0, SIGNATURE_BYTES), ...kept.flatMap(printChunk)]);
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

const NOTHING = Buffer.alloc(0);

function chunksOf(png: Buffer): readonly Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE_BYTES; at < png.length; ) {
    const end = at + 8 + png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, end) });
    at = end + 4;
  }
  return chunks;
}

/** Length, type, data, and the checksum of type and data. */
export function printChunk({ type, data }: Chunk): readonly Buffer[] {
  const start = Buffer.alloc(8);
  start.writeUInt32BE(data.length, 0);
  start.write(type, 4, 'latin1');
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(Bun.hash.crc32(data, Bun.hash.crc32(start.subarray(4))), 0);
  return [start, data, checksum];
}
