/** The rows that could not be stored, in a file that can be mended and imported again with the same flags. */
import { closeSync, openSync, writeSync } from 'node:fs';
import type { Row } from '../../collection/value.ts';
import { ConfigError } from '../../config.ts';
import { writtenRow } from '../../declare/rows/csv.ts';
import type { FileRecord } from '../../declare/rows/record.ts';
import type { FileFormat } from '../../declare/rows/source.ts';

/** An array cannot be added to row by row: rows of a JSON file are kept an object a line. */
const EXTENSIONS: Readonly<Record<FileFormat, string>> = { csv: 'csv', json: 'ndjson', ndjson: 'ndjson' };

export function rejectsPath(source: string, format: FileFormat): string {
  const base = source === '-' ? 'stdin' : source.replace(/\.[^./]+$/, '');
  return `${base}.rejected.${EXTENSIONS[format]}`;
}

/** Made with its first row, so that an import without mistakes leaves no empty file. */
export class Rejects {
  private file: number | undefined;
  private header: string | undefined;
  count = 0;

  constructor(
    readonly path: string,
    private readonly format: FileFormat,
    /** What divides the cells of the imported file, once it is known. */
    private readonly delimiter: () => string,
  ) {}

  add(record: FileRecord, columns: readonly string[]): void {
    if (record.kind === 'broken') this.write(columns, record.text);
    else if (this.format === 'csv') this.write(columns, writtenRow(record.cells, this.delimiter()));
    else this.write(columns, JSON.stringify(objectOf(record.columns, record.cells)));
  }

  close(): void {
    if (this.file !== undefined) closeSync(this.file);
  }

  private write(columns: readonly string[], line: string): void {
    this.count++;
    try {
      this.file ??= openSync(this.path, 'w');
      if (this.format === 'csv' && this.header === undefined) {
        this.header = writtenRow(columns, this.delimiter());
        writeSync(this.file, `${this.header}\n`);
      }
      writeSync(this.file, `${line}\n`);
    } catch (error) {
      throw new ConfigError(`${this.path} cannot be written: ${(error as Error).message}`);
    }
  }
}

function objectOf(columns: readonly string[], cells: readonly unknown[]): Row {
  return Object.fromEntries(columns.map((name, index) => [name, cells[index]])) as Row;
}
