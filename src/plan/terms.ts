/** The terms a result must keep, wherever it is noticed that it does not. */
import { Refusal } from '../errors.ts';

export function notOne(rows: number): Refusal {
  return new Refusal('PGRST116', 'Cannot coerce the result to a single JSON object', {
    details: `The result contains ${rows} rows`,
  });
}
