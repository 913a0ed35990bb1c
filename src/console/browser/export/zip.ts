/** Writes a ZIP archive with compressed files (APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16). */

const VERSION = 20;
const DEFLATED = 8;
/** Names are UTF-8. */
const FLAGS = 0x0800;
/** 1 January 1980, the first day of the format. */
const DATE = 0x0021;

interface Entry {
  readonly name: Uint8Array;
  readonly content: Blob;
  readonly checksum: number;
  readonly size: number;
  readonly at: number;
}

export async function zipOf(files: Readonly<Record<string, readonly string[]>>, type: string): Promise<Blob> {
  const entries: Entry[] = [];
  const parts: BlobPart[] = [];
  let at = 0;
  for (const [path, texts] of Object.entries(files)) {
    const plain = new Blob([...texts]);
    const content = await new Response(plain.stream().pipeThrough(new CompressionStream('deflate-raw'))).blob();
    const name = new TextEncoder().encode(path);
    const entry = { name, content, checksum: await checksumOf(plain), size: plain.size, at };
    const head = header(0x04034b50, [], entry, []);
    parts.push(head, content);
    at += head.byteLength + content.size;
    entries.push(entry);
  }
  const directory = entries.map((entry) => {
    const place: [bytes: 2 | 4, value: number][] = [
      [2, 0],
      [2, 0],
      [2, 0],
      [4, 0],
      [4, entry.at],
    ];
    return header(0x02014b50, [[2, VERSION]], entry, place);
  });
  const length = directory.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const end = numbers([
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, entries.length],
    [2, entries.length],
    [4, length],
    [4, at],
    [2, 0],
  ]);
  return new Blob([...parts, ...directory, end], { type });
}

type Numbers = readonly (readonly [bytes: 2 | 4, value: number])[];

/** The header of a file; the one in the directory has more fields before and after. */
function header(signature: number, before: Numbers, { name, content, checksum, size }: Entry, after: Numbers) {
  const fields = numbers([
    [4, signature],
    ...before,
    [2, VERSION],
    [2, FLAGS],
    [2, DEFLATED],
    [2, 0],
    [2, DATE],
    [4, checksum],
    [4, content.size],
    [4, size],
    [2, name.length],
    [2, 0],
    ...after,
  ]);
  const bytes = new Uint8Array(fields.length + name.length);
  bytes.set(fields);
  bytes.set(name, fields.length);
  return bytes;
}

function numbers(fields: Numbers): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(fields.reduce((sum, [length]) => sum + length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [length, value] of fields) {
    if (length === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += length;
  }
  return bytes;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

async function checksumOf(content: Blob): Promise<number> {
  let crc = 0xffffffff;
  const reader = content.stream().getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return (crc ^ 0xffffffff) >>> 0;
    for (const byte of value) crc = (crc >>> 8) ^ TABLE[(crc ^ byte) & 0xff]!;
  }
}
