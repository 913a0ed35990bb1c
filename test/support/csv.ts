import type { Cell } from '../../src/encode/csv-reader.ts';
import { CsvBody } from '../../src/http/csv.ts';

/** As a body in CSV is read. */
export function parseCsv(text: string): readonly (readonly Cell[])[] {
  const body = new CsvBody();
  body.push(text);
  body.end();
  return body.rows;
}
