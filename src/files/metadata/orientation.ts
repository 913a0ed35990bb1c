/** The orientation of a picture in Exif metadata, which is a TIFF structure (Exif 2.32, 4.6.2). */

const ORIENTATION = 0x0112;
const SHORT = 3;
const PREFIX = 'Exif\0\0';

/** The orientation, from 1 to 8; undefined if there is none. The bytes may be anything. */
export function readOrientation(exif: Buffer): number | undefined {
  const tiff = exif.toString('latin1', 0, PREFIX.length) === PREFIX ? exif.subarray(PREFIX.length) : exif;
  const order = tiff.toString('latin1', 0, 4);
  if (order !== 'II*\0' && order !== 'MM\0*') return undefined;
  const isLittle = order === 'II*\0';
  const short = (at: number) => (at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  if (tiff.length < 8) return undefined;
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  for (let index = 0; index < short(directory); index++) {
    const entry = directory + 2 + index * 12;
    if (entry + 12 > tiff.length) return undefined;
    if (short(entry) !== ORIENTATION || short(entry + 2) !== SHORT) continue;
    const value = short(entry + 8);
    return value >= 1 && value <= 8 ? value : undefined;
  }
  return undefined;
}

/** Exif metadata that has only an orientation. */
export function orientationOnly(value: number): Buffer {
  const tiff = Buffer.alloc(26);
  tiff.write('MM\0*', 'latin1');
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(ORIENTATION, 10);
  tiff.writeUInt16BE(SHORT, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(value, 18);
  return tiff;
}

/** Exif metadata for a picture that is not upright; undefined for others. */
export function neededOrientation(exif: Buffer): Buffer | undefined {
  const value = readOrientation(exif);
  return value === undefined || value === 1 ? undefined : orientationOnly(value);
}
