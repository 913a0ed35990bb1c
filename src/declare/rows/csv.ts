/** Reads records of a CSV file with a header row. Lines of only separators are skipped and counted. */
import { csvText } from '../../encode/csv.ts';
import { type Cell, CsvReader } from '../../encode/csv-reader.ts';
import { type FileRecord, fileProblem, MAX_ROW_LENGTH, type RecordReader, UnreadableFile } from './record.ts';

export class CsvRecords implements RecordReader {
  private readonly rows: CsvReader;
  private names: readonly string[] | undefined;
  blankLines = 0;

  /** Without a separator, it is detected. */
  constructor(separator?: string) {
    this.rows = new CsvReader(separator);
  }

  get separator(): string {
    return this.rows.separator;
  }

  get header(): readonly string[] {
    return this.names ?? [];
  }

  push(text: string): FileRecord[] {
    const records = this.records(this.rows.push(text));
    if (this.rows.pending > MAX_ROW_LENGTH) {
      if (this.rows.hasOpenQuote) throw new UnreadableFile(this.rows.line, 'unclosedQuote');
      throw new UnreadableFile(this.rows.line, 'longRow', MAX_ROW_LENGTH);
    }
    return records;
  }

  end(): FileRecord[] {
    const records = this.records(this.rows.end());
    if (this.names === undefined) throw new UnreadableFile(1, 'emptyCsv');
    return records;
  }

  private records(rows: ReturnType<CsvReader['push']>): FileRecord[] {
    const records: FileRecord[] = [];
    for (const row of rows) {
      const { names } = this;
      const { line } = row;
      if (names === undefined) {
        if ('problem' in row) throw new UnreadableFile(line, row.problem);
        this.names = row.cells.map((cell) => (cell ?? '').trim());
      } else if ('problem' in row) {
        records.push({ kind: 'broken', line, problem: fileProblem(row.problem), text: row.text, columns: names });
      } else if (row.cells.every((cell) => cell === undefined)) {
        this.blankLines++;
      } else if (row.cells.length === names.length) {
        records.push({ kind: 'record', line, columns: names, cells: row.cells });
      } else {
        const code = row.cells.length < names.length ? 'tooFewCells' : 'tooManyCells';
        const problem = fileProblem(code, row.cells.length, names.length);
        const text = printCsvRow(row.cells, this.separator);
        records.push({ kind: 'broken', line, problem, text, columns: names });
      }
    }
    return records;
  }
}

export function printCsvRow(cells: readonly unknown[], separator: string): string {
  return cells.map((cell) => written(cell as Cell | object, separator)).join(separator);
}

function written(cell: Cell | object, separator: string): string {
  if (cell === undefined) return '';
  if (cell === null) return 'NULL';
  return csvText(typeof cell === 'object' ? JSON.stringify(cell) : String(cell), separator);
}
