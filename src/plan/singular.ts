/** The error for a result that is not exactly one row. */
import { Refusal } from '../base/errors.ts';

export function notOne(rows: number): Refusal {
  return new Refusal('PGRST116', 'Cannot coerce the result to a single JSON object', {
    details: `The result contains ${rows} rows`,
  });
}
