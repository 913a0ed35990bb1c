/** Reads a file or standard input as records, no faster than they are consumed. */
import { statSync } from 'node:fs';
import { fileProblem } from '../../base/files/output-file.ts';
import { ConfigError } from '../../settings/by-command.ts';
import { CsvRecords } from './csv.ts';
import { type FileEncoding, TextReader } from './encoding.ts';
import { JsonReader, NdjsonReader } from './json.ts';
import type { FileRecord, RecordReader } from './record.ts';

export const FILE_FORMATS = ['csv', 'json', 'ndjson'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];
/** Workbooks are written as well. */
export const WRITTEN_FORMATS = [...FILE_FORMATS, 'xlsx'] as const;
export type WrittenFormat = (typeof WRITTEN_FORMATS)[number];

const READERS: Readonly<Record<FileFormat, (separator?: string) => RecordReader>> = {
  csv: (separator) => new CsvRecords(separator),
  json: () => new JsonReader(),
  ndjson: () => new NdjsonReader(),
};

const EXTENSIONS: Readonly<Record<string, FileFormat>> = {
  csv: 'csv',
  tsv: 'csv',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
};

/** Spreadsheet formats, which are not text and may contain several tables. */
const WORKBOOKS = ['xlsx', 'xlsm', 'xls', 'ods', 'numbers'];

const STANDARD_INPUT = '-';

function formatOf(path: string, named: FileFormat | undefined): FileFormat {
  const format = named ?? EXTENSIONS[extensionOf(path)];
  if (format !== undefined) return format;
  const [what, rename] =
    path === STANDARD_INPUT ? ['standard input', ''] : [path, 'name it .csv, .json or .ndjson, or '];
  throw new ConfigError(`the format of ${what} is not known: ${rename}add --format csv, json or ndjson`);
}

/** The format of a file to write. */
export function formatToWrite(path: string, named: WrittenFormat | undefined): WrittenFormat {
  if (named === 'xlsx' || (named === undefined && extensionOf(path) === 'xlsx')) return 'xlsx';
  return formatOf(path, named);
}

/** The format of a file to read; its first line distinguishes tabs from commas. */
export function formatToRead(path: string, named?: FileFormat): FileFormat {
  const extension = extensionOf(path);
  if (named === undefined && WORKBOOKS.includes(extension)) {
    throw new ConfigError(
      `${path} is a workbook: save its sheet as CSV in the spreadsheet; the console reads .xlsx files as they are`,
    );
  }
  return formatOf(path, named);
}

function extensionOf(path: string): string {
  return path.split('.').at(-1)?.toLowerCase() ?? '';
}

export interface Source {
  readonly records: AsyncGenerator<FileRecord[]>;
  /** In bytes; absent if unknown. */
  readonly size?: number;
  /** The number of bytes read so far. */
  readonly read: () => number;
  /** The separator of a CSV file; known after its first row. */
  readonly separator: () => string;
  /** Known with the first bytes. */
  readonly encoding: () => FileEncoding;
  /** The header of a CSV file; known after its first row. */
  readonly header: () => readonly string[];
  /** The number of skipped lines with only separators. */
  readonly blankLines: () => number;
}

interface SourceOptions {
  readonly format: FileFormat;
  /** Detected if absent. */
  readonly separator?: string | undefined;
  readonly encoding?: FileEncoding | undefined;
}

export function openSource(path: string, { format, separator, encoding }: SourceOptions): Source {
  let read = 0;
  const size = path === STANDARD_INPUT ? undefined : sizeOf(path);
  const stream = path === STANDARD_INPUT ? Bun.stdin.stream() : Bun.file(path).stream();
  const reader = READERS[format](separator);
  const text = new TextReader(encoding);
  const count = (bytes: number) => {
    read += bytes;
  };
  return {
    records: recordsOf(path, stream, text, reader, count),
    read: () => read,
    separator: () => reader.separator ?? ',',
    encoding: () => text.encoding,
    header: () => reader.header ?? [],
    blankLines: () => reader.blankLines ?? 0,
    ...(size === undefined ? {} : { size }),
  };
}

function sizeOf(path: string): number | undefined {
  try {
    const stat = statSync(path);
    if (stat.isDirectory()) throw new ConfigError(`${path} is a folder`);
    return stat.isFile() ? stat.size : undefined;
  } catch (error) {
    throw cannotRead(path, error);
  }
}

async function* recordsOf(
  path: string,
  stream: ReadableStream<Uint8Array>,
  text: TextReader,
  reader: RecordReader,
  count: (bytes: number) => void,
): AsyncGenerator<FileRecord[]> {
  try {
    for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) {
      count(chunk.byteLength);
      yield reader.push(text.push(chunk));
    }
    yield reader.push(text.end());
    yield reader.end();
  } catch (error) {
    throw cannotRead(path, error);
  }
}

/** Explains a permission error, which occurs on the first read. */
function cannotRead(path: string, error: unknown): unknown {
  if (error instanceof ConfigError || typeof (error as { syscall?: unknown }).syscall !== 'string') return error;
  return new ConfigError(`${path} cannot be read: ${fileProblem(error)}`);
}
