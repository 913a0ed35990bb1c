/** Pictures with metadata that names a place: JPEG, PNG, WebP and GIF files made here. */
import { gradient } from './pictures.ts';

/** Stands for metadata that must not be published. */
export const SECRET = 'at 48.2082 N';
/** Stands for a colour profile, which must stay. */
export const PROFILE = 'a colour profile';

const PIXELS = gradient(40, 30);

/** A TIFF structure with an orientation, and a text that stands for the place. */
export function exif(orientation: number): Buffer {
  const tiff = Buffer.alloc(38);
  tiff.write('II*\0', 'latin1');
  tiff.writeUInt32LE(8, 4);
  tiff.writeUInt16LE(2, 8);
  // The maker, a text after the directory.
  tiff.writeUInt16LE(0x010f, 10);
  tiff.writeUInt16LE(2, 12);
  tiff.writeUInt32LE(SECRET.length, 14);
  tiff.writeUInt32LE(38, 18);
  tiff.writeUInt16LE(0x0112, 22);
  tiff.writeUInt16LE(3, 24);
  tiff.writeUInt32LE(1, 26);
  tiff.writeUInt16LE(orientation, 30);
  return Buffer.concat([tiff, Buffer.from(SECRET)]);
}

function segment(code: number, ...parts: readonly (string | Buffer)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
  return Buffer.concat([Buffer.from([0xff, code, (content.length + 2) >> 8, (content.length + 2) & 255]), content]);
}

export async function jpegWith(orientation: number): Promise<Buffer> {
  const plain = await new Bun.Image(PIXELS).jpeg().buffer();
  return Buffer.concat([
    plain.subarray(0, 2),
    segment(0xe0, 'JFIF\0\x01\x01\0\0\x01\0\x01', '\x02\x03', SECRET),
    segment(0xe0, 'JFXX\0\x10', SECRET),
    segment(0xe1, 'Exif\0\0', exif(orientation)),
    segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0', SECRET),
    segment(0xe2, 'ICC_PROFILE\0\x01\x01', PROFILE),
    segment(0xe2, 'MPF\0', SECRET),
    segment(0xed, 'Photoshop 3.0\0', SECRET),
    Buffer.from([0, 0, 0xff]),
    segment(0xfe, SECRET),
    plain.subarray(2),
    Buffer.from(`a video, ${SECRET}`),
  ]);
}

function chunk(type: string, data: Uint8Array | string): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), Buffer.from(data as string, 'latin1')]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(body.length - 4, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(Bun.hash.crc32(body), body.length + 4);
  return framed;
}

export function pngWith(orientation: number): Buffer {
  const afterHeader = 8 + 25;
  return Buffer.concat([
    PIXELS.subarray(0, afterHeader),
    chunk('gAMA', PROFILE.slice(0, 4)),
    chunk('tEXt', `Comment\0${SECRET}`),
    chunk('iTXt', `XML:com.adobe.xmp\0\0\0\0\0${SECRET}`),
    chunk('eXIf', exif(orientation)),
    chunk('tIME', '\x07\xea\x0b\x11\x17\x00\x00'),
    chunk('caBX', SECRET),
    PIXELS.subarray(afterHeader),
    Buffer.from(`after the end, ${SECRET}`),
  ]);
}

/** A picture with a chunk that decoders must know, but that no version of PNG has. */
export function pngWithCriticalChunk(): Buffer {
  const end = PIXELS.length - 12;
  return Buffer.concat([PIXELS.subarray(0, end), chunk('CrIT', SECRET), PIXELS.subarray(end)]);
}

function riff(type: string, data: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header.write(type, 'latin1');
  header.writeUInt32LE(data.length, 4);
  return Buffer.concat([header, data, Buffer.alloc(data.length % 2)]);
}

/** Sub-blocks of up to 255 bytes, and the empty one at their end. */
function subBlocks(data: Uint8Array): Buffer {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < data.length; at += 255) {
    const part = data.subarray(at, at + 255);
    parts.push(Uint8Array.of(part.length), part);
  }
  return Buffer.concat([...parts, Uint8Array.of(0)]);
}

/** An animation of one picture: 40 × 30 pixels in 128 shades of gray. It has no orientation. */
export function gifWith(): Buffer {
  const [width, height] = [40, 30];
  const application = (name: string, data: Uint8Array) =>
    Buffer.concat([Buffer.from([0x21, 0xff, 11]), Buffer.from(name), subBlocks(data)]);
  const codes: number[] = [];
  for (let at = 0; at < width * height; at++) {
    // Cleared so often that codes stay 8 bits long.
    if (at % 100 === 0) codes.push(128);
    codes.push(at % 128);
  }
  return Buffer.concat([
    Buffer.from('GIF89a'),
    Buffer.from([width, 0, height, 0, 0xf6, 0, 0]),
    Buffer.from(Array.from({ length: 128 }, (_, shade) => [shade * 2, shade * 2, shade * 2]).flat()),
    application('NETSCAPE2.0', Uint8Array.of(1, 0, 0)),
    application('ICCRGBG1012', Buffer.from(PROFILE)),
    application('XMP DataXMP', Buffer.from(`${SECRET} `.repeat(40))),
    Buffer.from([0x21, 0xfe]),
    subBlocks(Buffer.from(SECRET)),
    Buffer.from([0x21, 0x01, 1, 0]),
    subBlocks(Buffer.from(SECRET)),
    Buffer.from([0x21, 0xf9, 4, 0, 0, 0, 0, 0]),
    Buffer.from([0x2c, 0, 0, 0, 0, width, 0, height, 0, 0, 7]),
    subBlocks(Uint8Array.from([...codes, 129])),
    Buffer.from(`;after the end, ${SECRET}`),
  ]);
}

export async function webpWith(orientation: number): Promise<Buffer> {
  const plain = await new Bun.Image(PIXELS).webp().buffer();
  // ICC profile, Exif and XMP; the canvas is 40 × 30.
  const header = Buffer.from([0x20 | 0x08 | 0x04, 0, 0, 0, 39, 0, 0, 29, 0, 0]);
  const chunks = Buffer.concat([
    riff('VP8X', header),
    riff('ICCP', Buffer.from(PROFILE)),
    plain.subarray(12),
    riff('EXIF', exif(orientation)),
    riff('XMP ', Buffer.from(SECRET)),
    riff('C2PA', Buffer.from(SECRET)),
  ]);
  return Buffer.concat([
    riff('RIFF', Buffer.concat([Buffer.from('WEBP'), chunks])),
    Buffer.from(`ICCP after the end, ${SECRET}`),
  ]);
}

/** A still picture with the chunks of an animation, which decoders ignore. */
export async function webpWithFrames(): Promise<Buffer> {
  const plain = await new Bun.Image(PIXELS).webp().buffer();
  const header = riff('VP8X', Buffer.from([0, 0, 0, 0, 39, 0, 0, 29, 0, 0]));
  const frames = [riff('ANIM', Buffer.from(SECRET)), riff('ANMF', Buffer.from(SECRET))];
  return riff('RIFF', Buffer.concat([Buffer.from('WEBP'), header, plain.subarray(12), ...frames]));
}
