/** Writes rejected rows like the imported file (format, encoding, separator), for an import with the same flags. */
import { printCsvRow } from '../../declare/rows/csv.ts';
import { TextWriter } from '../../declare/rows/encoding.ts';
import type { FileRecord } from '../../declare/rows/record.ts';
import type { FileFormat, Source } from '../../declare/rows/source.ts';
import { separatorIn } from '../../encode/csv-reader.ts';
import type { Output } from '../shared/command.ts';

/** A JSON array cannot grow row by row: rejected rows of a JSON file are written as NDJSON. */
const EXTENSIONS: Readonly<Record<FileFormat, string>> = { csv: 'csv', json: 'ndjson', ndjson: 'ndjson' };

export function rejectsPath(source: string, format: FileFormat): string {
  const base = source === '-' ? 'stdin' : source.replace(/\.[^./]+$/, '');
  return `${base}.rejected.${EXTENSIONS[format]}`;
}

/** Writes rejected rows to a file, opened at the first one. `end()` gives it its final name; `discard()` deletes it. */
export class Rejects {
  private output: Output | undefined;
  private encoder: TextWriter | undefined;

  constructor(
    private readonly format: FileFormat,
    private readonly source: Pick<Source, 'separator' | 'encoding' | 'header'>,
    private readonly open: () => Output,
  ) {}

  textOf(record: FileRecord): string {
    if (record.kind === 'broken') return record.text;
    if (this.format === 'csv') return printCsvRow(record.cells, this.source.separator());
    return JSON.stringify(Object.fromEntries(record.columns.map((name, index) => [name, record.cells[index]])));
  }

  end(): void {
    this.output?.end();
    this.output = undefined;
  }

  discard(): void {
    this.output?.discard();
    this.output = undefined;
  }

  add(line: string): void {
    if (this.output === undefined) {
      this.output = this.open();
      this.encoder = new TextWriter(this.source.encoding());
      if (this.format === 'csv') this.writeLine(this.header());
    }
    this.writeLine(line);
  }

  private writeLine(text: string): void {
    this.output!.write(this.encoder!.encode(`${text}\n`));
  }

  /** Adds a `sep=` line if a reader cannot derive the separator from the names. */
  private header(): string {
    const columns = this.source.header();
    const separator = this.source.separator();
    const names = printCsvRow(columns, separator);
    return columns.length === 1 || separatorIn(names) === separator ? names : `sep=${separator}\n${names}`;
  }
}
