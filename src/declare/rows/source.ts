/** A file, or what is piped in, as records: read no faster than they are used. */
import { statSync } from 'node:fs';
import { ConfigError } from '../../config.ts';
import { CsvReader } from './csv.ts';
import { JsonReader, NdjsonReader } from './json.ts';
import { type FileRecord, lineEndsIn, type RecordReader, unreadable } from './record.ts';

export const FILE_FORMATS = ['csv', 'json', 'ndjson'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

const READERS: Readonly<Record<FileFormat, (delimiter?: string) => RecordReader>> = {
  csv: (delimiter) => new CsvReader(delimiter),
  json: () => new JsonReader(),
  ndjson: () => new NdjsonReader(),
};

const EXTENSIONS: Readonly<Record<string, FileFormat>> = {
  csv: 'csv',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
};

export function formatOf(path: string, named: FileFormat | undefined): FileFormat {
  const format = named ?? EXTENSIONS[path.split('.').at(-1)?.toLowerCase() ?? ''];
  if (format !== undefined) return format;
  const [what, rename] = path === '-' ? ['standard input', ''] : [path, 'name it .csv, .json or .ndjson, or '];
  throw new ConfigError(`the format of ${what} is not known: ${rename}add --format csv, json or ndjson`);
}

export interface Source {
  readonly records: AsyncGenerator<FileRecord[]>;
  /** In bytes; absent where it is not known before the end. */
  readonly size?: number;
  /** Bytes read so far. */
  readonly read: () => number;
  /** What divides the cells of a CSV file; known with its first row. */
  readonly delimiter: () => string;
}

export function openSource(path: string, format: FileFormat, delimiter?: string): Source {
  let read = 0;
  const size = path === '-' ? undefined : sizeOf(path);
  const stream = path === '-' ? Bun.stdin.stream() : Bun.file(path).stream();
  const reader = READERS[format](delimiter);
  const count = (bytes: number) => {
    read += bytes;
  };
  return {
    records: recordsOf(stream, reader, count),
    read: () => read,
    delimiter: () => reader.delimiter ?? ',',
    ...(size === undefined ? {} : { size }),
  };
}

function sizeOf(path: string): number | undefined {
  try {
    const stat = statSync(path);
    if (stat.isDirectory()) throw new ConfigError(`${path} is a folder`);
    return stat.isFile() ? stat.size : undefined;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

async function* recordsOf(
  stream: ReadableStream<Uint8Array>,
  reader: RecordReader,
  count: (bytes: number) => void,
): AsyncGenerator<FileRecord[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let lines = 1;
  for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) {
    count(chunk.byteLength);
    const text = decode(decoder, chunk, lines);
    yield reader.push(text);
    lines += lineEndsIn(text);
  }
  yield reader.push(decode(decoder, undefined, lines));
  yield reader.end();
}

function decode(decoder: TextDecoder, chunk: Uint8Array | undefined, lines: number): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch {
    throw unreadable(lines, 'after this the file is not UTF-8; convert it first, such as with iconv -t UTF-8');
  }
}
