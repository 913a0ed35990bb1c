/** Reads a file as a sheet: CSV, JSON, NDJSON or a workbook. */
import { CsvRecords } from '../../../declare/rows/csv.ts';
import { TextReader } from '../../../declare/rows/encoding.ts';
import { JsonReader, NdjsonReader } from '../../../declare/rows/json.ts';
import { type FileProblem, type FileRecord, type RecordReader, UnreadableFile } from '../../../declare/rows/record.ts';
import { t } from '../i18n/text.ts';
import type { Sheet, SheetRow } from './sheet.ts';

const MAX_FILE_MB = 200;
/** First bytes of compound files, the Excel format until 2003. */
const OLD_EXCEL = [0xd0, 0xcf, 0x11, 0xe0];
const ZIP = [0x50, 0x4b, 0x03, 0x04];

const beginsWith = (bytes: Uint8Array, start: readonly number[]): boolean =>
  start.every((byte, at) => bytes[at] === byte);

/** `sheetName` chooses a sheet of a workbook. */
export async function readSheet(file: File, sheetName?: string): Promise<Sheet> {
  if (file.size > MAX_FILE_MB * 1024 * 1024) {
    throw new Error(t.importing.tooLarge(file.name, MAX_FILE_MB));
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes.length === 0) throw new Error(t.importing.emptyFile(file.name));
  const sheet = beginsWith(bytes, ZIP) ? await readWorkbook(file.name, bytes, sheetName) : readText(file.name, bytes);
  if (sheet.rows.length === 0) throw new Error(t.importing.noRows(file.name));
  return { ...sheet, columns: withUniqueNames(sheet.columns) };
}

/** Names unnamed columns, and renames the second of two equal names. */
function withUniqueNames(columns: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return columns.map((column, at) => {
    let name = column === '' ? t.importing.unnamedColumn(at + 1) : column;
    for (let count = 2; taken.has(name); count++) name = `${column} (${count})`;
    taken.add(name);
    return name;
  });
}

async function readWorkbook(name: string, bytes: Uint8Array, sheetName?: string): Promise<Sheet> {
  const { readXlsx } = await import('./xlsx/workbook.ts');
  return readXlsx(name, bytes, sheetName);
}

function readText(name: string, bytes: Uint8Array): Sheet {
  if (beginsWith(bytes, OLD_EXCEL)) throw new Error(t.importing.oldExcel(name));
  const { text, notes } = decode(bytes);
  const isJson = /^\s*[[{]/.test(text);
  const reader: RecordReader = !isJson
    ? new CsvRecords()
    : isNdjson(name, text)
      ? new NdjsonReader()
      : new JsonReader();
  const records = recordsOf(name, reader, text);
  const columns = reader.header ?? [...new Set(records.flatMap(({ columns: own }) => own))];
  return {
    name,
    columns,
    rows: records.map((record) => rowOf(record, columns, reader.header !== undefined)),
    areTexts: !isJson,
    separator: reader.separator ?? ',',
    notes: [...notes, ...blankLines(reader.blankLines ?? 0)],
  };
}

function blankLines(count: number): string[] {
  return count === 0 ? [] : [t.importing.blankLines(count)];
}

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark. Anything else is decoded as windows-1252, which older spreadsheets
 * write.
 */
function decode(bytes: Uint8Array): { text: string; notes: string[] } {
  const read = (encoding?: 'windows-1252') => {
    const reader = new TextReader(encoding);
    return reader.push(bytes) + reader.end();
  };
  try {
    return { text: read(), notes: [] };
  } catch {
    return {
      text: read('windows-1252'),
      notes: [t.importing.windows1252],
    };
  }
}

function isNdjson(name: string, text: string): boolean {
  if (/\.(ndjson|jsonl)$/i.test(name)) return true;
  return /^\s*\{[^\n]*\}[ \t\r]*\n\s*\{/.test(text);
}

/** A sentence in the language of the person. */
function explainProblem({ code, values }: FileProblem): string {
  const text: string | ((...of: never[]) => string) = t.importing.fileProblems[code];
  return typeof text === 'string' ? text : text(...(values as never[]));
}

function recordsOf(name: string, reader: RecordReader, text: string): readonly FileRecord[] {
  try {
    return [...reader.push(text), ...reader.end()];
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new Error(t.importing.unreadable(name, error.line, explainProblem(error.problem)));
  }
}

function rowOf(record: FileRecord, columns: readonly string[], hasHeader: boolean): SheetRow {
  const { line } = record;
  if (record.kind === 'broken')
    return { line, cells: [], broken: { problem: explainProblem(record.problem), text: record.text } };
  if (hasHeader) return { line, cells: record.cells };
  const own = new Map(record.columns.map((name, at) => [name, record.cells[at]]));
  return { line, cells: columns.map((name) => own.get(name)) };
}
