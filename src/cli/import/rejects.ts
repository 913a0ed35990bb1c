/** The rows that could not be stored, in a file that can be mended and imported again with the same flags. */
import type { Row } from '../../collection/value.ts';
import { writtenRow } from '../../declare/rows/csv.ts';
import type { FileRecord } from '../../declare/rows/record.ts';
import type { FileFormat } from '../../declare/rows/source.ts';
import type { Output } from '../output.ts';

/** An array cannot be added to row by row: rows of a JSON file are kept an object a line. */
const EXTENSIONS: Readonly<Record<FileFormat, string>> = { csv: 'csv', json: 'ndjson', ndjson: 'ndjson' };

export function rejectsPath(source: string, format: FileFormat): string {
  const base = source === '-' ? 'stdin' : source.replace(/\.[^./]+$/, '');
  return `${base}.rejected.${EXTENSIONS[format]}`;
}

/** Made with its first row, so that an import without mistakes leaves no empty file; it has its name once the others are stored. */
export class Rejects {
  private output: Output | undefined;

  constructor(
    private readonly format: FileFormat,
    /** What divides the cells of the imported file, once it is known. */
    private readonly delimiter: () => string,
    private readonly open: () => Output,
  ) {}

  add(record: FileRecord, columns: readonly string[]): void {
    if (record.kind === 'broken') this.write(columns, record.text);
    else if (this.format === 'csv') this.write(columns, writtenRow(record.cells, this.delimiter()));
    else this.write(columns, JSON.stringify(objectOf(record.columns, record.cells)));
  }

  end(): void {
    this.output?.end();
    this.output = undefined;
  }

  giveUp(): void {
    this.output?.giveUp();
    this.output = undefined;
  }

  private write(columns: readonly string[], line: string): void {
    if (this.output === undefined) {
      this.output = this.open();
      if (this.format === 'csv') this.output.write(`${writtenRow(columns, this.delimiter())}\n`);
    }
    this.output.write(`${line}\n`);
  }
}

function objectOf(columns: readonly string[], cells: readonly unknown[]): Row {
  return Object.fromEntries(columns.map((name, index) => [name, cells[index]])) as Row;
}
