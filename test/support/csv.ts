import { ApiError } from '../../src/base/errors.ts';
import { type Cell, COMMA, CsvReader } from '../../src/encode/csv-reader.ts';

/** Parses a CSV text like a request body. */
export function parseCsv(text: string): readonly (readonly Cell[])[] {
  const reader = new CsvReader(COMMA);
  return [...reader.push(text), ...reader.end()].map((row) => {
    if ('problem' in row) throw new ApiError('PGRST102', row.problem);
    return row.cells;
  });
}
