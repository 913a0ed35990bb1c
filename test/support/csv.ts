import type { Cell } from '../../src/encode/csv-reader.ts';
import { CsvBody } from '../../src/http/body/csv-body.ts';

/** Parses a CSV text like a request body. */
export function parseCsv(text: string): readonly (readonly Cell[])[] {
  const body = new CsvBody();
  body.push(text);
  body.end();
  return body.rows;
}
