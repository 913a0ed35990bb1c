/** Parses a CSV body with a header row. */

import { ApiError } from '../../base/errors.ts';
import { type Cell, COMMA, CsvReader, type CsvRow } from '../../encode/csv-reader.ts';

export class CsvBody {
  readonly rows: (readonly Cell[])[] = [];
  private readonly reader = new CsvReader(COMMA);

  push(text: string): void {
    this.take(this.reader.push(text));
  }

  end(): void {
    this.take(this.reader.end());
  }

  private take(rows: readonly CsvRow[]): void {
    for (const row of rows) {
      if ('problem' in row) throw malformed(this.rows.length + 1, row.problem);
      this.rows.push(row.cells);
    }
  }
}

function malformed(row: number, problem: string): ApiError {
  return new ApiError('PGRST102', `the CSV cannot be read: row ${row}: ${problem}`, {
    hint: 'Quote a cell that holds a comma, a quote or a line end, and double the quotes in it.',
  });
}
