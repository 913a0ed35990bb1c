/** A body in CSV: rows of cells, the first of them the names. */
import { type Cell, COMMA, CsvReader } from '../encode/csv-reader.ts';
import { Refusal } from '../errors.ts';

export function parseCsv(text: string): (readonly Cell[])[] {
  const reader = new CsvReader(COMMA);
  return [...reader.push(text), ...reader.end()].map((row, index) => {
    if ('cells' in row) return row.cells;
    throw new Refusal('PGRST102', `the CSV cannot be read: row ${index + 1}: ${row.problem}`, {
      hint: 'Quote a cell that holds a comma, a quote or a line end, and double the quotes in it.',
    });
  });
}
