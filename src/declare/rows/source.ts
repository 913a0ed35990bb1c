/** A file, or what is piped in, as records: read no faster than they are used. */
import { statSync } from 'node:fs';
import { ConfigError } from '../../config.ts';
import { fileProblem } from '../../file-problem.ts';
import { CsvRecords } from './csv.ts';
import { type FileEncoding, TextReader } from './encoding.ts';
import { JsonReader, NdjsonReader } from './json.ts';
import type { FileRecord, RecordReader } from './record.ts';

export const FILE_FORMATS = ['csv', 'json', 'ndjson'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

const READERS: Readonly<Record<FileFormat, (separator?: string) => RecordReader>> = {
  csv: (separator) => new CsvRecords(separator),
  json: () => new JsonReader(),
  ndjson: () => new NdjsonReader(),
};

const EXTENSIONS: Readonly<Record<string, FileFormat>> = {
  csv: 'csv',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
};

/** Workbooks of spreadsheets, which hold several tables, and are no text. */
const WORKBOOKS = ['xlsx', 'xlsm', 'xls', 'ods', 'numbers'];

export const STANDARD_INPUT = '-';

export function formatOf(path: string, named: FileFormat | undefined): FileFormat {
  const format = named ?? EXTENSIONS[extensionOf(path)];
  if (format !== undefined) return format;
  const [what, rename] =
    path === STANDARD_INPUT ? ['standard input', ''] : [path, 'name it .csv, .json or .ndjson, or '];
  throw new ConfigError(`the format of ${what} is not known: ${rename}add --format csv, json or ndjson`);
}

/** The same of a file to read: tabs are told from commas by its first line. */
export function formatToRead(path: string, named?: FileFormat): FileFormat {
  const extension = extensionOf(path);
  if (named === undefined && extension === 'tsv') return 'csv';
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
  /** In bytes; absent where it is not known before the end. */
  readonly size?: number;
  /** Bytes read so far. */
  readonly read: () => number;
  /** What divides the cells of a CSV file; known with its first row. */
  readonly separator: () => string;
  /** Known with the first bytes. */
  readonly encoding: () => FileEncoding;
  /** The columns that a CSV file names; known with its first row. */
  readonly header: () => readonly string[];
  /** Lines of a CSV file that hold nothing but separators, so far: they are left out. */
  readonly blankLines: () => number;
}

export interface SourceOptions {
  readonly format: FileFormat;
  /** Where they are not given, the file tells. */
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

/** A file that may not be read says so with its first bytes. */
function cannotRead(path: string, error: unknown): unknown {
  if (error instanceof ConfigError || typeof (error as { syscall?: unknown }).syscall !== 'string') return error;
  return new ConfigError(`${path} cannot be read: ${fileProblem(error)}`);
}
