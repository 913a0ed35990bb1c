/** Packs a workbook as a ZIP archive (APPNOTE 6.3) while its sheet is written, so that memory stays flat. */
import { Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';
import { SHEET_PATH, workbookParts } from './workbook.ts';

const SHEET_NAME = 'Sheet1';
const MAX_BYTES = 0xffff_ffff;
/** Version 2.0; sizes after the content, names in UTF-8; deflate; the first day that ZIP knows. */
const PROPERTIES = [20, 0x0808, 8, 0, 0x21];

type Bytes = Uint8Array<ArrayBuffer>;
type Parts = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** `sheet` is the XML of the sheet. */
export async function* packWorkbook(sheet: Parts): AsyncGenerator<Bytes, undefined> {
  const directory: Bytes[] = [];
  let offset = 0;
  for (const [path, parts] of [...Object.entries(workbookParts(SHEET_NAME)), [SHEET_PATH, sheet] as const]) {
    const name = Buffer.from(path);
    const entry = { sum: 0, size: 0, packed: 0 };
    const start = record(0x04034b50, PROPERTIES, [0, 0, 0], [name.length, 0], name);
    yield start;
    for await (const chunk of deflated(typeof parts === 'string' ? [parts] : parts, entry)) {
      entry.packed += chunk.length;
      yield chunk;
    }
    const sizes = [entry.sum, entry.packed, entry.size];
    yield record(0x08074b50, [], sizes);
    directory.push(record(0x02014b50, [20, ...PROPERTIES], sizes, [name.length, 0, 0, 0, 0, 0, 0], long(offset), name));
    offset += start.length + entry.packed + 16;
    if (Math.max(entry.size, offset) > MAX_BYTES) throw new Error('a workbook has at most 4 GiB');
  }
  const entries = Buffer.concat(directory);
  const counts = [0, 0, directory.length, directory.length];
  yield entries;
  yield record(0x06054b50, counts, [entries.length, offset], [0]);
}

/** Compresses on a thread, no faster than the chunks are taken. */
async function* deflated(parts: Parts, entry: { sum: number; size: number }): AsyncGenerator<Bytes> {
  const measured = async function* () {
    for await (const part of parts) {
      const bytes = typeof part === 'string' ? Buffer.from(part) : part;
      entry.sum = crc32(bytes, entry.sum);
      entry.size += bytes.length;
      yield bytes;
    }
  };
  const input = Readable.from(measured(), { objectMode: false });
  const deflate = createDeflateRaw({ level: 3 });
  input.on('error', (error) => deflate.destroy(error));
  try {
    for await (const chunk of input.pipe(deflate)) yield chunk as Bytes;
  } finally {
    input.destroy();
    deflate.destroy();
  }
}

/** A signature, numbers of two bytes, numbers of four bytes, numbers of two bytes, and further bytes. */
function record(
  signature: number,
  first: readonly number[],
  longs: readonly number[],
  last: readonly number[] = [],
  ...rest: readonly Uint8Array[]
): Bytes {
  return Buffer.concat([long(signature), ...first.map(short), ...longs.map(long), ...last.map(short), ...rest]);
}

function short(number: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(number);
  return bytes;
}

function long(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return bytes;
}
