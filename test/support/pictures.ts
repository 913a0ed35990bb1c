/** Pictures for tests: PNG files made here. */
import { deflateSync, inflateSync } from 'node:zlib';

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(Bun.hash.crc32(body), body.length + 4);
  return framed;
}

/** A PNG file that claims these dimensions; `rows` are its bytes before compression. */
export function pictureOf(
  width: number,
  height: number,
  rows: Uint8Array = new Uint8Array(0),
): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits, RGB.
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', new Uint8Array(0))];
  return new Uint8Array(Buffer.concat([signature, ...parts]));
}

/** A valid picture with a gradient. Another `seed` gives another picture. */
export function gradient(width: number, height: number, seed = 0): Uint8Array<ArrayBuffer> {
  const rows = Buffer.alloc((width * 3 + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++)
      rows.set([(x * 5 + seed) % 256, (y * 7) % 256, (x + y) % 256], y * (width * 3 + 1) + 1 + x * 3);
  }
  return pictureOf(width, height, rows);
}

export const PICTURE = gradient(40, 30);

/** A picture of vertical stripes, one for each color. */
export function stripes(
  stripeWidth: number,
  height: number,
  colors: readonly (readonly number[])[],
): Uint8Array<ArrayBuffer> {
  const width = stripeWidth * colors.length;
  const rows = Buffer.alloc((width * 3 + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows.set(colors[Math.floor(x / stripeWidth)]!, y * (width * 3 + 1) + 1 + x * 3);
  }
  return pictureOf(width, height, rows);
}

/** The red, green and blue of a picture that is shrunk to one pixel. */
export async function colorOf(picture: ArrayBuffer): Promise<number[]> {
  const image = new Bun.Image(picture).resize(1, 1, { filter: 'box' });
  const png = await image.png({ compressionLevel: 0 }).buffer();
  const start = png.indexOf('IDAT');
  const [, red, green, blue] = inflateSync(png.subarray(start + 4, start + 4 + png.readUInt32BE(start - 4)));
  return [red!, green!, blue!];
}
